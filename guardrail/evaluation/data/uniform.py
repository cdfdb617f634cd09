"""This project's training and dev rows: ``{"id", "dataset", "question", "passages", "text", "label", ...}``.

``context_answer`` is the answer that ``text`` is a part of: such a row is a claim.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from guardrail.evaluation.files import json_lines, labelled, stem
from guardrail.evaluation.labelled import LabelledAnswer
from guardrail.evaluation.row import (
    BadRow,
    Row,
    error_type,
    id_field,
    label_field,
    optional_text,
    passages_field,
    read_spans,
    text_field,
)


def read(path: Path) -> Iterator[LabelledAnswer | BadRow]:
    """Rows of the file; the data set is named after the file, since several files share one ``dataset``."""
    return labelled(path, json_lines(path), lambda row, number: [_answer(row, number, stem(path))])


def _answer(row: Row, number: int, dataset: str) -> LabelledAnswer:
    text = text_field(row, "text")
    ident = id_field(row, number)
    name = optional_text(row, "error_type")
    whole = optional_text(row, "context_answer")
    return LabelledAnswer(
        id=ident,
        answer=text,
        passages=passages_field(row),
        label=label_field(row),
        question=optional_text(row, "question"),
        error_type=error_type(name),
        error_name=name,
        error_spans=read_spans(row.get("spans"), text, "spans"),
        lang=optional_text(row, "lang") or "en",
        dataset=dataset,
        group=optional_text(row, "group") or optional_text(row, "question") or whole or ident,
        claim=whole is not None,
        part_of=whole or "",
    )
