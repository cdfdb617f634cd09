"""Files of rows: JSON lines (also gzip), whole JSON documents. A bad line spoils itself only."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from guardrail.check.answer_lines import ENCODING
from guardrail.errors import UsageError
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.data.rows import BadRow, Row, RowError

_SURROGATES = range(0xDC80, 0xDD00)
"""What a byte that is not UTF-8 is read as (see records.ENCODING)."""


@contextmanager
def opened(path: Path, newline: str | None = None) -> Iterator[TextIO]:
    """The file as text; ``.gz`` is unpacked. A reading error says which file and what is wrong."""
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rt", newline=newline, **ENCODING) as handle:
                yield handle
        else:
            with path.open(newline=newline, **ENCODING) as handle:
                yield handle
    except (OSError, EOFError) as error:  # also a broken gzip
        reason = getattr(error, "strerror", None) or str(error) or "it ends too early"
        raise UsageError(f"cannot read {str(path)!r}: {reason}.") from error


def is_utf8(text: str) -> bool:
    """Whether all bytes of a text read by ``opened`` were UTF-8."""
    return text.isascii() or not any(ord(character) in _SURROGATES for character in text)


def json_values(path: Path) -> Iterator[tuple[int, Any]]:
    """Line numbers (from 1) with their JSON values, a BadRow for a line that holds none; empty lines are left out."""
    with opened(path) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            if not is_utf8(line):
                yield number, BadRow(path, number, "is not UTF-8 text")
                continue
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                yield number, BadRow(path, number, f"is not valid JSON: {error}")


def json_lines(path: Path) -> Iterator[tuple[int, Row | BadRow]]:
    """Line numbers (from 1) with their objects; empty lines are left out."""
    return ((number, _row(path, number, value)) for number, value in json_values(path))


def json_document(path: Path) -> Any:
    """The whole file as one JSON value.

    Raises:
        UsageError: it cannot be read or is not JSON.
    """
    with opened(path) as handle:
        text = handle.read()
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{str(path)!r} is not valid JSON: {error}. One record per line needs the suffix .jsonl."
        ) from error


def json_objects(path: Path, value: object) -> Iterator[tuple[int, Row | BadRow]]:
    """Items of a JSON list, numbered from 1."""
    if not isinstance(value, list):
        raise UsageError(f"{str(path)!r} must hold a JSON list, got {type(value).__name__}.")
    for number, item in enumerate(value, 1):
        yield number, _row(path, number, item)


def _row(path: Path, number: int, value: Any) -> Row | BadRow:
    if isinstance(value, (dict, BadRow)):
        return value
    return BadRow(path, number, f"must be a JSON object, got {type(value).__name__}")


def labelled(
    path: Path, rows: Iterable[tuple[int, Row | BadRow]], read: Callable[[Row, int], Iterable[LabelledAnswer]]
) -> Iterator[LabelledAnswer | BadRow]:
    """What ``read`` makes of each numbered row; one that cannot be read or in which it finds a fault is a bad row."""
    for number, row in rows:
        if isinstance(row, BadRow):
            yield row
            continue
        try:
            yield from read(row, number)
        except RowError as error:
            yield BadRow(path, number, str(error))


def stem(path: Path) -> str:
    """File name without its suffixes: the name of the data set."""
    name = path.name.removesuffix(".gz")
    return name.rpartition(".")[0] or name


def visible_files(folder: Path) -> list[Path]:
    """All files in a folder and its subfolders, by name, but for those that are hidden or in a hidden one."""
    found = (file for file in folder.rglob("*") if file.is_file())
    return sorted(f for f in found if not any(part.startswith(".") for part in f.relative_to(folder).parts))
