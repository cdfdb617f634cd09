"""Which source a name stands for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from guardrail.audit.answer import Found
from guardrail.audit.columns import FIELDS, Columns
from guardrail.audit.sources import json_lines, parquet
from guardrail.audit.sources.paths import File, file_system, find_files
from guardrail.audit.sources.source import Form, Piece, Source, one_by_one
from guardrail.errors import UsageError, did_you_mean

_FORMS: dict[str, Form] = {
    "table": one_by_one(lambda row, place, columns: columns.read(row, place)),
}
_GROUPED: frozenset[str] = frozenset()
"""Forms that need all lines of a file together."""

FORMATS = ("auto", *_FORMS)
"""Formats that can be named; ``table`` are rows with columns, in Parquet or JSON lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Answers in files: Parquet or JSON lines by the end of their names, and in one of the forms."""

    files: tuple[File, ...]
    form: str = "table"
    columns: Columns = field(default_factory=Columns)

    @property
    def size(self) -> float:
        """See Source.size."""
        return float(sum(file.size for file in self.files))

    def pieces(self) -> Iterator[Piece]:
        """See Source.pieces."""
        whole = self.form in _GROUPED
        for file in self.files:
            yield from parquet.pieces(file) if _is_parquet(file.uri) else json_lines.pieces(file, whole=whole)

    def read(self, piece: Piece) -> Iterator[Found]:
        """See Source.read."""
        rows = parquet.rows(piece) if _is_parquet(piece.path) else json_lines.rows(piece)
        return _FORMS[self.form](rows, self.columns)


def _is_parquet(uri: str) -> bool:
    return uri.endswith(".parquet")


def open_source(source: str, form: str = "auto", columns: Columns | None = None) -> Source:
    """The source of that name.

    Args:
        source: A file, a folder, a glob, or a URI of either.
        form: One of FORMATS; ``auto`` looks at the first row.
        columns: Which column holds what, for tables.

    Raises:
        UsageError: there is nothing of that name, or a column is not there.
    """
    if form not in FORMATS:
        raise UsageError(f"unknown format {form!r}. {did_you_mean(form, FORMATS)}")
    columns = Columns() if columns is None else columns
    files = find_files(source)
    found = Files(files=files, form="table" if form == "auto" else form, columns=columns)
    if found.form == "table":
        for file in files:
            if _is_parquet(file.uri):
                _refuse_columns(file, columns)
                break
    return found


def _refuse_columns(file: File, columns: Columns) -> None:
    """Before hours of work: the first table that can be opened has what is asked for.

    Raises:
        UsageError: it has not.
    """
    from pyarrow import ArrowException
    from pyarrow import parquet as files

    system, path = file_system(file.uri)
    try:
        with system.open_input_file(path) as handle:
            names = files.read_schema(handle).names
    except (OSError, ArrowException):
        return
    for name in ("answer", "passages"):
        wanted = columns.names.get(name)
        if wanted is None and not set(FIELDS[name]) & set(names):
            raise UsageError(
                f"{file.uri!r} has no column {name!r}; its columns are {names}. Name it: --column {name}=COLUMN."
            )
    for wanted in (*columns.names.values(), *columns.labels.values()):
        if wanted not in names and wanted.partition(".")[0] not in names:
            raise UsageError(f"{file.uri!r} has no column {wanted!r}. {did_you_mean(wanted, names)}")
