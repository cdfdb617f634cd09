"""RAGTruth's pair of files in one folder (ParticleMedia/RAGTruth): ``response.jsonl`` and ``source_info.jsonl``.

An answer without marked spans is SUPPORTED; with a span of conflict CONTRADICTED; else UNSUPPORTED. An answer that
refuses although the passages hold the answer (``incorrect_refusal``) and has no spans is ABSTAINED. Each task and
split is a data set of its own. Records of structured data become lines of ``key: value``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from guardrail.check.intake import read_passages
from guardrail.errors import UsageError
from guardrail.evaluation.data.files import json_lines, labelled
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.data.rows import BadRow, Row, RowError, id_field, optional_text, read_span, text_field
from guardrail.types import Passage, Span, Verdict

RESPONSES, SOURCES = "response.jsonl", "source_info.jsonl"
_PASSAGE = re.compile(r"(?:^|\n)\s*passage \d+:", re.IGNORECASE)
_REVIEWS = "review_info"


def beside(path: Path) -> tuple[Path, ...]:
    """Where the passages are."""
    return (path.with_name(SOURCES),)


def read(path: Path) -> Iterator[LabelledAnswer | BadRow]:
    """Answers of ``response.jsonl``.

    Raises:
        UsageError: ``source_info.jsonl`` is not beside it.
    """
    (texts,) = beside(path)
    if not texts.is_file():
        raise UsageError(f"{str(path)!r} needs {SOURCES!r} beside it; RAGTruth's passages are there.")
    sources: dict[str, Row] = {}
    for _, row in json_lines(texts):
        if isinstance(row, BadRow):
            yield row
        elif "source_id" in row:
            sources[str(row["source_id"])] = row
    yield from labelled(path, json_lines(path), lambda row, number: [_answer(row, number, sources)])


def _answer(row: Row, number: int, sources: dict[str, Row]) -> LabelledAnswer:
    source_id = id_field(row, number, "source_id")
    source = sources.get(source_id)
    if source is None:
        raise RowError(f"{SOURCES} has no source_id {source_id!r}")
    answer = text_field(row, "response")
    spans, kinds = _spans(row.get("labels"), answer)
    question, passages = _passages(source.get("source_info"))
    parts = ("RAGTruth", optional_text(source, "task_type"), optional_text(row, "split"))
    return LabelledAnswer(
        id=id_field(row, number),
        answer=answer,
        passages=passages,
        label=_label(kinds, row.get("quality")),
        question=question,
        error_name="+".join(sorted(set(kinds))) or None,
        error_spans=spans,
        dataset=" ".join(part for part in parts if part),
        group=source_id,
    )


def _label(kinds: list[str], quality: object) -> Verdict:
    if not kinds:
        return Verdict.ABSTAINED if quality == "incorrect_refusal" else Verdict.SUPPORTED
    return Verdict.CONTRADICTED if any("conflict" in kind.lower() for kind in kinds) else Verdict.UNSUPPORTED


def _spans(value: object, answer: str) -> tuple[tuple[Span, ...], list[str]]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise RowError(f"'labels' must be a list of objects, got {value!r:.60}")
    spans = tuple(read_span((item.get("start"), item.get("end")), answer, "labels") for item in value)
    return spans, [str(item.get("label_type", "unknown")) for item in value]


def _passages(info: object) -> tuple[str | None, tuple[Passage, ...]]:
    """Question and passages of the three tasks: QA, Summary (one text) and Data2txt (a record)."""
    if isinstance(info, str):
        return None, read_passages([info])
    if not isinstance(info, dict):
        raise RowError(f"'source_info' must be a text or an object, got {info!r:.60}")
    passages = info.get("passages")
    if isinstance(passages, str):
        texts = [text.strip() for text in _PASSAGE.split(passages)]
        return optional_text(info, "question"), read_passages([text for text in texts if text])
    reviews = info.get(_REVIEWS)
    record = "\n".join(_lines({key: value for key, value in info.items() if key != _REVIEWS}))
    texts = ["\n".join(_lines(review)) for review in reviews] if isinstance(reviews, list) else []
    return None, read_passages([record, *texts])


def _lines(value: object, name: str = "") -> Iterator[str]:
    """A nested record as lines ``outer inner: value``; what is null is not stated."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _lines(inner, f"{name} {key}".strip())
    elif isinstance(value, list):
        yield f"{name}: {', '.join(map(str, value))}"
    else:
        shown = _said(value)
        yield f"{name}: {shown}" if name else shown


def _said(value: object) -> str:
    if value is None:
        return "not stated"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
