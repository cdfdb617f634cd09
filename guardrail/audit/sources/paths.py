"""Files by name, folder, glob or URI (``s3://``, ``gs://``, ``hdfs://``): pyarrow's file systems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from guardrail.errors import MissingExtraError, UsageError

_WILD = frozenset("*?[")
_SECRET = ("key", "secret", "token", "password", "sig")
SUFFIXES = (".parquet", ".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz", ".json.gz", ".jsonl.zst")


@dataclass(frozen=True, slots=True)
class File:
    """A file as its file system names it; ``uri`` is what the user can open."""

    uri: str
    size: int


AUDIT = 'pip install "rag-guardrail[audit]"'
AUDIT_RAY = 'pip install "rag-guardrail[audit-ray]"'


def missing(package: str, install: str = AUDIT) -> MissingExtraError:
    """The error for a package that is not installed; ``install`` is AUDIT or AUDIT_RAY."""
    return MissingExtraError(f"the audit needs {package}: {install}")


def file_system(uri: str) -> tuple[Any, str]:
    """The file system of a URI or local path, and the path in it.

    Raises:
        UsageError: nobody knows such a URI, or it holds a key.
    """
    try:
        from pyarrow import ArrowInvalid, fs
    except ModuleNotFoundError as error:
        raise missing("pyarrow") from error
    if "://" not in uri:
        return fs.LocalFileSystem(), str(Path(uri).absolute())
    options = parse_qsl(uri.partition("?")[2], keep_blank_values=True)
    secret = any(word in name.lower() for name, _ in options for word in _SECRET)
    if secret or "@" in uri.split("://", 1)[1].split("/", 1)[0]:  # it would be kept in reports
        raise UsageError(
            "the address of the source holds a user name or a key. Leave it out, and give it by the environment."
        )
    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(uri)
    except (ArrowInvalid, OSError, NotImplementedError) as error:
        raise UsageError(f"cannot open {uri!r}: {error}") from error
    return found


def name_of(uri: str) -> str:
    """The URI or path without the options of its file system (``?region=eu-west-1``), which only a URI has."""
    return uri.partition("?")[0] if "://" in uri else uri


def find_files(source: str) -> tuple[File, ...]:
    """The files that a name, a folder or a glob stands for, by name. In a URI ``?`` begins its options.

    Raises:
        UsageError: there are none.
    """
    found = _Asked.of(source)
    files = sorted(_listed(found), key=lambda file: file.uri)
    if not files:
        what = "a file, a folder or a glob" if found.pattern is None else "a file"
        raise UsageError(f"{source!r} is not the name of {what} with {', '.join(SUFFIXES[:4])}. Nothing to audit.")
    return tuple(files)


def refuse_inside(source: str, out: str | Path) -> None:
    """The tables of an audit must not be among the logged answers that it reads.

    Raises:
        UsageError: they would be.
    """
    asked = _Asked.of(source)
    if "://" in source and not source.startswith("file://"):
        return
    _, path = file_system(asked.base + asked.options)
    written = Path(out).resolve() / "judgements" / "0.parquet"
    if written.is_relative_to(base := Path(path).resolve()) and asked.takes(written.relative_to(base).as_posix()):
        raise UsageError(
            f"the folder of the audit, {str(out)!r}, lies in the source {source!r}: the next run would read what this "
            "one writes as logged answers. Name a folder beside the source with --out."
        )


@dataclass(frozen=True, slots=True)
class _Asked:
    """A source as it was named: from where to look, which pattern (None = all), and options of the file system."""

    base: str
    pattern: str | None
    options: str

    @classmethod
    def of(cls, source: str) -> _Asked:
        name = name_of(source)
        scheme = name.find("://") + 3 if "://" in name else 0
        wild = next((i for i, letter in enumerate(name) if letter in _WILD and i >= scheme), None)
        if wild is None or Path(name).exists():
            return cls(name, None, source[len(name) :])
        return cls(name[:wild].rpartition("/")[0] or ".", name, source[len(name) :])

    def takes(self, inner: str) -> bool:
        """Whether the file of that path, below the base, is meant."""
        if self.pattern is None:
            return inner.endswith(SUFFIXES) and not any(part.startswith((".", "_")) for part in inner.split("/"))
        return _fits(self.named(inner), self.pattern)

    def named(self, inner: str) -> str:
        """The path below the base as a whole."""
        return f"{self.base.rstrip('/')}/{inner}"


def _listed(asked: _Asked) -> Iterator[File]:
    from pyarrow import fs

    system, path = file_system(asked.base + asked.options)
    try:
        about = system.get_file_info(path)
        if about.type == fs.FileType.NotFound:
            return
        if about.type == fs.FileType.File:
            yield File(asked.base + asked.options, about.size)
            return
        entries = system.get_file_info(fs.FileSelector(path, recursive=True))
    except OSError as error:
        raise UsageError(f"cannot list {asked.base!r}: {error}") from error
    for entry in entries:
        inner = entry.path[len(path) :].lstrip("/")
        if entry.type == fs.FileType.File and asked.takes(inner):
            yield File(asked.named(inner) + asked.options, entry.size)


def _fits(uri: str, pattern: str) -> bool:
    """``**`` stands for any folders, ``*`` for no slash."""
    uri = uri[2:] if uri.startswith("./") and not pattern.startswith("./") else uri
    own, wanted = uri.split("/"), pattern.split("/")

    def fit(i: int, j: int) -> bool:
        if j == len(wanted):
            return i == len(own)
        if wanted[j] == "**":
            return any(fit(k, j + 1) for k in range(i, len(own) + 1))
        return i < len(own) and fnmatchcase(own[i], wanted[j]) and fit(i + 1, j + 1)

    return fit(0, 0)
