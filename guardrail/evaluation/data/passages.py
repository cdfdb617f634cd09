"""Passages from files: JSONL of passages or of records that hold passages, texts, or a folder of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from guardrail.check.intake import read_passages
from guardrail.errors import UsageError
from guardrail.evaluation.data.files import is_utf8, json_values, opened, visible_files
from guardrail.evaluation.data.rows import BadRow
from guardrail.types import Passage

SUFFIXES = (".jsonl", ".jsonl.gz", ".txt", ".md")
MAX_WORDS = 250
"""Words of a passage cut from a text file; whole paragraphs are kept together up to this."""

_HEADING = re.compile(r"^#{1,6}\s+(?P<title>.+?)\s*#*\s*$")
_NOT_PROSE = re.compile(r"^\s*(?:[|>#]|[-*+] |\d+[.)] |```|~~~|---|===|\[)")


def read_sources(path: Path) -> tuple[Passage, ...]:
    """All passages of a file, or of all files of a folder in the order of their names; doubles are left out.

    Raises:
        UsageError: it cannot be read, has no passage, or a line is no passage.
    """
    files = find_files(path)
    found: dict[tuple[str | None, str], Passage] = {}
    for file in files:
        for passage in _texts(file) if file.suffix in {".txt", ".md"} else _lines(file):
            if passage.text.strip():
                found.setdefault((passage.title, passage.text), passage)
    if not found:
        raise UsageError(f"{str(path)!r} holds no passages. Each line needs a text or an object with 'text'.")
    bare = [Passage(text=p.text, title=p.title) for p in found.values()]
    given = [p.id for p in found.values()]
    return read_passages(found.values() if len(set(given) - {""}) == len([i for i in given if i]) else bare)


def find_files(path: Path) -> list[Path]:
    """The file itself, or all of a folder that may hold passages, by name; what is hidden is passed over.

    Raises:
        UsageError: there is none, or not of a known kind.
    """
    if path.is_dir():
        files = [file for file in visible_files(path) if file.name.endswith(SUFFIXES)]
        if not files:
            raise UsageError(f"no passages in the folder {str(path)!r}. Known files: {', '.join(SUFFIXES)}.")
        return files
    if not path.exists():
        raise UsageError(f"cannot read {str(path)!r}: there is no such file or folder.")
    if not path.name.endswith(SUFFIXES):
        raise UsageError(f"{path.name!r} is no file of passages. Known: {', '.join(SUFFIXES)}, or a folder of them.")
    return [path]


def _lines(path: Path) -> Iterator[Passage]:
    for number, value in json_values(path):
        where = f"{str(path)!r}, line {number}"
        if isinstance(value, BadRow):
            raise UsageError(f"{where}: {value.problem}.")
        yield from _passages(value, where)


def _passages(value: object, where: str) -> Iterator[Passage]:
    """A text, an object with ``text``, or an object with a list ``passages`` of those."""
    if isinstance(value, str):
        yield Passage(text=value)
    elif isinstance(value, dict) and isinstance(value.get("passages"), list):
        for item in value["passages"]:
            yield from _passages(item, where)
    elif isinstance(value, dict) and isinstance(value.get("text"), str):
        title, ident = value.get("title"), value.get("id")
        yield Passage(
            text=value["text"],
            title=title if isinstance(title, str) and title else None,
            id=str(ident) if isinstance(ident, (str, int)) else "",
        )
    else:
        raise UsageError(f"{where}: no passage. Write a text, an object with 'text', or one with 'passages'.")


def _texts(path: Path) -> Iterator[Passage]:
    """Paragraphs of a text file, joined up to MAX_WORDS words; Markdown headings become titles."""
    with opened(path) as handle:
        text = handle.read()
    if not is_utf8(text):
        raise UsageError(f"{str(path)!r} is not UTF-8 text.")
    title, kept, words = path.stem, list[str](), 0
    for block in re.split(r"\n\s*\n", text):
        heading = _HEADING.match(block.split("\n", 1)[0]) if path.suffix == ".md" else None
        prose = " ".join(line.strip() for line in block.split("\n") if not _NOT_PROSE.match(line)).strip()
        size = max(len(prose.split()), len(prose) // 4 if not prose.isascii() else 0)
        if kept and (heading or words + size > MAX_WORDS):
            yield Passage(text="\n".join(kept), title=title)
            kept, words = [], 0
        title = heading["title"] if heading else title
        if prose:
            kept.append(prose)
            words += size
    if kept:
        yield Passage(text="\n".join(kept), title=title)
