"""Read labelled answers from a file or a folder, whatever their format."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from guardrail.errors import UsageError
from guardrail.evaluation.data import bench, dfactscore, face4rag, labels, plain, ragtruth, refchecker
from guardrail.evaluation.data.files import json_document, json_lines, opened, visible_files
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.data.rows import BadRow, Row

_log = logging.getLogger(__name__)

Reader = Callable[[Path], Iterator[LabelledAnswer | BadRow]]

_SAMPLE = 20
_KNOWN = (
    "JSONL (or .jsonl.gz, or a .json list) of {question, answer, passages, label}; "
    "the studio's label files; RefChecker's *_answers.json; "
    "Face4RAG's .csv; RAGTruth's folder of response.jsonl and source_info.jsonl; "
    "AmbigBio's *_factscore_output.json"
)


@dataclass(frozen=True, slots=True)
class Source:
    """A file of labelled answers with its format: a name for people, the reader, and where it looks besides."""

    path: Path
    format: str
    reader: Reader
    beside: tuple[Path, ...] = ()


def find_sources(path: Path) -> tuple[Source, ...]:
    """The labelled files at ``path``: itself, or all in a folder and its subfolders, by name.

    In a folder, files without labels (read-me files, passages and questions that another file refers to) are passed
    over.

    Raises:
        UsageError: no such file, a file of no known format, or a folder without any labelled file.
    """
    if path.is_dir():
        sources = tuple(source for file in visible_files(path) if (source := _detect_inside(file)) is not None)
        if not sources:
            raise UsageError(f"{str(path)!r} holds no labelled answers. Known: {_KNOWN}.")
        return sources
    if not path.exists():
        raise UsageError(f"no such file or folder: {str(path)!r}.")
    source = _detect(path)
    if source is None and path.is_file() and _is_blank(path):
        raise UsageError(f"{str(path)!r} is empty.")
    if source is None:
        raise UsageError(f"{str(path)!r} is of no known format of labelled answers. Known: {_KNOWN}.")
    return (source,)


def _is_blank(path: Path) -> bool:
    with opened(path) as lines:
        return not any(line.strip() for line in lines)


def read_labelled(path: Path, *, on_bad: Callable[[BadRow], None] | None = None) -> Iterator[LabelledAnswer]:
    """Labelled answers of a file or folder, in order.

    Args:
        path: A file or a folder (see ``find_sources``).
        on_bad: Told of every row that cannot be read; default: a warning in the log. The rest goes on.

    Raises:
        UsageError: nothing labelled is there, or not one row of a file can be read.
    """
    for source in find_sources(Path(path)):
        yield from read_source(source, on_bad=on_bad)


def read_source(source: Source, *, on_bad: Callable[[BadRow], None] | None = None) -> Iterator[LabelledAnswer]:
    """Labelled answers of one file; arguments and errors as for ``read_labelled``."""
    read = 0
    first_bad: BadRow | None = None
    for row in source.reader(source.path):
        if isinstance(row, BadRow):
            first_bad = first_bad or row
            (on_bad or _warn)(row)
        else:
            read += 1
            yield row
    if not read:
        reason = f"All its rows are bad. The first: {first_bad}." if first_bad else "It is empty."
        raise UsageError(f"{str(source.path)!r} ({source.format}) holds no labelled answer. {reason}")


def _warn(row: BadRow) -> None:
    _log.warning("%s", row)


def _detect_inside(path: Path) -> Source | None:
    """As ``_detect``; a file of a folder that cannot be read says so when it is its turn, after those before it."""
    try:
        return _detect(path)
    except UsageError:
        return Source(path, "unreadable", plain.read)


def _detect(path: Path) -> Source | None:
    """The format of a file, told by its name and its first rows; None if it holds no labelled answers."""
    name = path.name.removesuffix(".gz")
    if name.endswith(".csv"):
        return Source(path, "Face4RAG", face4rag.read)
    if name == ragtruth.RESPONSES:
        return Source(path, "RAGTruth", ragtruth.read, ragtruth.beside(path))
    if name.endswith(dfactscore.ENDING):
        return Source(path, "AmbigBio", dfactscore.read, dfactscore.beside(path))
    if name.endswith(".json"):
        return _detect_document(path)
    if name.endswith(".jsonl"):
        rows = [row for _, row in islice(json_lines(path), _SAMPLE)]
        return _of_rows(path, [row for row in rows if not isinstance(row, BadRow)], broken=bool(rows))
    return None


def _detect_document(path: Path) -> Source | None:
    value = json_document(path)
    if not isinstance(value, list) or refchecker.is_context(value):
        return None
    rows = [row for row in value[:_SAMPLE] if isinstance(row, dict)]
    if any("response" in row and refchecker.claims_key(row) for row in rows):
        return Source(path, "RefChecker", refchecker.read, refchecker.beside(path))
    return _of_rows(path, rows, broken=False)


def _of_rows(path: Path, rows: Sequence[Row], *, broken: bool) -> Source | None:
    """The row format that the first rows have; where none can be read at all, the plain one, to say what is wrong."""
    if labels.is_labels(rows):
        return Source(path, "labels", labels.read)
    keys = set().union(*rows) if rows else set()
    if {"mixed", "sentences", "answer"} <= keys or {"answer", "item", "error_span"} <= keys:
        return Source(path, "bench", bench.read)
    if {"text", "label", "passages"} <= keys:
        return Source(path, "rows", plain.read_training)
    if {"answer", "label"} <= keys or (broken and not rows) or {"answer", "passages"} <= keys:
        return Source(path, "records", plain.read)
    return None
