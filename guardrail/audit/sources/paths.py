"""Files by name, folder, glob or URI (``s3://``, ``gs://``, ``hdfs://``): pyarrow's file systems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from guardrail.errors import MissingExtraError, UsageError

_WILD = frozenset("*?[")
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
    if "@" in uri.split("://", 1)[1].split("/", 1)[0]:  # it would be kept in reports
        raise UsageError(
            "the address of the source holds a user name or a key. Leave it out, and give it by the environment."
        )
    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(uri)
    except (ArrowInvalid, OSError, NotImplementedError) as error:
        raise UsageError(f"cannot open {uri!r}: {error}") from error
    return found


def find_files(source: str) -> tuple[File, ...]:
    """The files that a name, a folder or a glob stands for, by name.

    Raises:
        UsageError: there are none.
    """
    wild = next((i for i, letter in enumerate(source) if letter in _WILD and "://" not in source[i:]), None)
    base = source if wild is None or Path(source).exists() else source[:wild].rpartition("/")[0] or "."
    files = sorted(_listed(base, None if base == source else source), key=lambda file: file.uri)
    if not files:
        what = "a file, a folder or a glob" if wild is None else "a file"
        raise UsageError(f"{source!r} is not the name of {what} with {', '.join(SUFFIXES[:4])}. Nothing to audit.")
    return tuple(files)


def _listed(base: str, pattern: str | None) -> Iterator[File]:
    from pyarrow import fs

    system, path = file_system(base)
    try:
        about = system.get_file_info(path)
        if about.type == fs.FileType.NotFound:
            return
        if about.type == fs.FileType.File:
            yield File(base, about.size)
            return
        entries = system.get_file_info(fs.FileSelector(path, recursive=True))
    except OSError as error:
        raise UsageError(f"cannot list {base!r}: {error}") from error
    head = "" if pattern is None else pattern
    for entry in entries:
        inner = entry.path[len(path) :].lstrip("/")
        uri = f"{base.rstrip('/')}/{inner}"
        hidden = any(part.startswith((".", "_")) for part in inner.split("/"))
        fits = entry.path.endswith(SUFFIXES) and not hidden if pattern is None else _fits(uri, head)
        if entry.type == fs.FileType.File and fits:
            yield File(uri, entry.size)


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
