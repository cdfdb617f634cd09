"""Which source a name stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from guardrail.audit.answer import Found
from guardrail.audit.columns import FIELDS, Columns
from guardrail.audit.sources import json_lines, parquet
from guardrail.audit.sources.langfuse import langfuse
from guardrail.audit.sources.logs import litellm, openai_batch
from guardrail.audit.sources.paths import File, file_system, find_files, name_of
from guardrail.audit.sources.records import Records
from guardrail.audit.sources.source import Form, Piece, Source, one_by_one
from guardrail.audit.sources.traces import spans
from guardrail.errors import UsageError, did_you_mean

_FORMS: dict[str, Form] = {
    "table": one_by_one(lambda row, place, columns: columns.read(row, place)),
    "spans": spans,
    "langfuse": langfuse,
    "openai-batch": openai_batch,
    "litellm": one_by_one(lambda row, place, _: litellm(row, place)),
}
_GROUPED = frozenset({"spans", "langfuse", "openai-batch"})
"""Forms that need all rows of a file together."""

FORMATS = ("auto", *_FORMS, "records")
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
            read = parquet if _is_parquet(file.uri) else json_lines
            yield from read.pieces(file, whole=whole)

    def read(self, piece: Piece) -> Iterator[Found]:
        """See Source.read."""
        rows = parquet.rows(piece) if _is_parquet(piece.path) else json_lines.rows(piece)
        return _FORMS[self.form](rows, self.columns)


def _is_parquet(uri: str) -> bool:
    return name_of(uri).endswith(".parquet")


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
    if form == "records" or (form == "auto" and source.endswith(".db")):
        return Records(source)
    files = find_files(source)
    found = Files(files=files, form=_form_of(files, columns) if form == "auto" else form, columns=columns)
    if found.form == "table":
        for file in files:
            if _is_parquet(file.uri):
                _refuse_columns(file, columns)
                break
    return found


def _form_of(files: tuple[File, ...], columns: Columns) -> str:
    """The form that the first row which can be read has."""
    for file in files:
        look = Files(files=(file,), columns=columns)
        for piece in look.pieces():
            for raw in (parquet.rows if _is_parquet(file.uri) else json_lines.rows)(piece):
                if raw.row is not None:
                    return next((form for form, fits in _SIGNS.items() if fits(raw.row)), "table")
    return "table"


_SIGNS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "spans": lambda row: "resourceSpans" in row or "context.trace_id" in row or "span_kind" in row,
    "litellm": lambda row: {"request_id", "call_type", "startTime"} <= set(row),
    "openai-batch": lambda row: "custom_id" in row and ("body" in row or "response" in row),
    "langfuse": lambda row: (
        "observations" in row or {"trace_id", "parent_observation_id"} <= set(row) or "parentObservationId" in row
    ),
}


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
