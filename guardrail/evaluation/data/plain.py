"""Rows ``{"id", "question", "answer", "passages", "label"}``: the records of ``guardrail check`` plus a label.

Optional: ``error_type``, ``error_spans``, ``mixed``, ``lang``, ``group``. This project's training and dev rows have
``text`` and ``spans`` instead; one with ``context_answer``, the answer that ``text`` is a part of, is a claim.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from guardrail.evaluation.data.files import json_document, json_lines, json_objects, labelled, stem
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.data.rows import BadRow, Row, RowError, optional_text, read_answer


def read(path: Path) -> Iterator[LabelledAnswer | BadRow]:
    """Rows of a ``.jsonl`` (or ``.jsonl.gz``), or of a ``.json`` with one list."""
    listed = path.suffix == ".json"
    rows = json_objects(path, json_document(path)) if listed else json_lines(path)
    yield from labelled(path, rows, lambda row, number: [_answer(row, number, stem(path))])


def _answer(row: Row, number: int, dataset: str) -> LabelledAnswer:
    mixed = row.get("mixed")
    if mixed is not None and not isinstance(mixed, bool):
        raise RowError(f"'mixed' must be true, false or null, got {mixed!r:.60}")
    return replace(read_answer(row, number, dataset), mixed=mixed)


def read_training(path: Path) -> Iterator[LabelledAnswer | BadRow]:
    """Training rows; the data set is named after the file, since several files share one ``dataset``."""
    return labelled(path, json_lines(path), lambda row, number: [_training_row(row, number, stem(path))])


def _training_row(row: Row, number: int, dataset: str) -> LabelledAnswer:
    answer = read_answer(row, number, dataset, text="text", spans="spans")
    whole = optional_text(row, "context_answer")
    if whole is None:
        return answer
    group = optional_text(row, "group") or answer.question or whole
    return replace(answer, group=group, claim=True, part_of=whole)
