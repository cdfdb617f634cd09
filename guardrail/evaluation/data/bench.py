"""The hand-labelled benches: answers with error and evidence spans, and biographies of namesakes (``mixed``).

A biography has labelled sentences instead of a label. It is SUPPORTED where no sentence lacks support by the individual
it is about, ABSTAINED where it is no biography, else UNSUPPORTED.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from guardrail.evaluation.data.files import json_lines, labelled, stem
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.data.rows import (
    BadRow,
    Row,
    RowError,
    id_field,
    optional_text,
    passages_field,
    read_answer,
    read_span,
    text_field,
)
from guardrail.types import ErrorType, Passage, Span, Verdict


def read(path: Path) -> Iterator[LabelledAnswer | BadRow]:
    """Rows of either bench."""
    return labelled(
        path,
        json_lines(path),
        lambda row, number: [(_biography if "sentences" in row else _answer)(row, number, stem(path))],
    )


def _answer(row: Row, number: int, dataset: str) -> LabelledAnswer:
    answer = read_answer(row, number, dataset, spans="error_span", group="item")
    return replace(answer, evidence=_evidence(row.get("evidence"), answer.passages))


def _evidence(value: object, passages: tuple[Passage, ...]) -> tuple[tuple[int, Span], ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise RowError(f"'evidence' must be a list, got {value!r:.60}")
    numbers = {passage.id: number for number, passage in enumerate(passages)}
    found = []
    for item in value:
        if not isinstance(item, dict) or item.get("passage_id") not in numbers:
            raise RowError(f"'evidence' must name a passage by 'passage_id', got {item!r:.80}")
        number = numbers[item["passage_id"]]
        found.append((number, read_span((item.get("start"), item.get("end")), passages[number].text, "evidence")))
    return tuple(found)


def _biography(row: Row, number: int, dataset: str) -> LabelledAnswer:
    answer = text_field(row, "answer")
    mixed = row.get("mixed")
    if not isinstance(mixed, bool):
        raise RowError(f"'mixed' must be true or false, got {mixed!r:.60}")
    wrong = _unsupported_sentences(row.get("sentences"), answer)
    if row.get("category") == "no_bio":
        label = Verdict.ABSTAINED
    else:
        label = Verdict.UNSUPPORTED if wrong or mixed else Verdict.SUPPORTED
    ident = id_field(row, number)
    return LabelledAnswer(
        id=ident,
        answer=answer,
        passages=passages_field(row),
        label=label,
        question=optional_text(row, "question"),
        error_type=ErrorType.MIXED_ENTITIES if mixed else None,
        error_name=ErrorType.MIXED_ENTITIES.value if mixed else None,
        error_spans=wrong,
        mixed=mixed,
        lang=optional_text(row, "lang") or "en",
        dataset=dataset,
        group=optional_text(row, "name") or ident,
    )


def _unsupported_sentences(value: object, answer: str) -> tuple[Span, ...]:
    if not isinstance(value, list):
        raise RowError(f"'sentences' must be a list, got {value!r:.60}")
    wrong = []
    for item in value:
        if not isinstance(item, dict):
            raise RowError(f"'sentences' must hold objects, got {item!r:.60}")
        span = read_span((item.get("start"), item.get("end")), answer, "sentences")
        if item.get("supported_by_group_entity") is False:
            wrong.append(span)
    return tuple(wrong)
