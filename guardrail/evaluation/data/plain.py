"""JSONL of ``{"id", "question", "answer", "passages", "label"}``: the records of ``guardrail check`` plus a label.

Optional: ``error_type``, ``error_spans``, ``mixed``, ``lang``, ``group``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from guardrail.evaluation.files import json_document, json_lines, json_objects, labelled, stem
from guardrail.evaluation.labelled import LabelledAnswer
from guardrail.evaluation.language import language
from guardrail.evaluation.row import (
    BadRow,
    Row,
    RowError,
    error_type,
    id_field,
    label_field,
    optional_text,
    passages_field,
    read_spans,
    text_field,
)


def read(path: Path) -> Iterator[LabelledAnswer | BadRow]:
    """Rows of a ``.jsonl`` (or ``.jsonl.gz``), or of a ``.json`` with one list."""
    listed = path.suffix == ".json"
    rows = json_objects(path, json_document(path)) if listed else json_lines(path)
    yield from labelled(path, rows, lambda row, number: [_answer(row, number, stem(path))])


def _answer(row: Row, number: int, dataset: str) -> LabelledAnswer:
    answer = text_field(row, "answer")
    ident = id_field(row, number)
    name = optional_text(row, "error_type")
    mixed = row.get("mixed")
    if mixed is not None and not isinstance(mixed, bool):
        raise RowError(f"'mixed' must be true, false or null, got {mixed!r:.60}")
    return LabelledAnswer(
        id=ident,
        answer=answer,
        passages=passages_field(row),
        label=label_field(row),
        question=optional_text(row, "question"),
        error_type=error_type(name),
        error_name=name,
        error_spans=read_spans(row.get("error_spans"), answer, "error_spans"),
        mixed=mixed,
        lang=optional_text(row, "lang") or language(answer),
        dataset=dataset,
        group=optional_text(row, "group") or optional_text(row, "question") or ident,
    )
