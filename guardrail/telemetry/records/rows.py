"""A record as rows of the two tables: what is searched for, and apart from it the texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from guardrail.telemetry.outcome import Outcome
from guardrail.telemetry.records.content import MOST, Redact, as_content, as_text, read_report, size, without_texts
from guardrail.telemetry.records.database import storable
from guardrail.telemetry.records.record import StoredRecord, rank
from guardrail.telemetry.records.sampling import is_clean
from guardrail.types import ErrorType, Verdict

COLUMNS = (
    "id", "at", "verdict", "rank", "score", "action", "clean", "rule", "policy", "engine", "labels", "error_types",
    "trace_id", "span_id", "seconds", "attempts", "exhausted", "rate", "digest",
)  # fmt: skip
"""Columns that are written once."""

HUMAN = ("label", "label_error_type", "finding_labels", "note", "labelled_at", "labelled_by")
"""Columns that people write."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is written for one outcome: values of COLUMNS, and the texts as JSON."""

    values: tuple[Any, ...]
    content: str


def as_row(outcome: Outcome, rate: float, redact: Redact | None) -> Row:
    """The rows of an outcome that was kept with the chance ``rate``; without texts where ``redact`` raises."""
    if size(outcome) > MOST:
        content = without_texts(outcome, "too long")
    else:
        try:
            content = as_content(outcome, redact)
        except BaseException as error:  # a panic of Rust is no Exception; its message may hold the text itself
            content = without_texts(outcome, f"redact failed: {type(error).__name__}")
    digest = storable(outcome.id) if "left_out" in content else _digest(content)
    report, guarded = outcome.report, outcome.guarded
    errors = dict.fromkeys(f.error_type.value for f in report.findings if f.error_type is not None)
    values = (
        storable(outcome.id), outcome.at, report.verdict.value, rank(report.verdict), report.score, outcome.action,
        is_clean(outcome), storable("" if guarded is None else guarded.decision.rule), storable(outcome.policy),
        storable(report.engine), json.dumps(dict(outcome.labels), ensure_ascii=True), f",{','.join(errors)},",
        outcome.trace_id, outcome.span_id, outcome.seconds, 1 if guarded is None else guarded.attempts,
        guarded is not None and guarded.exhausted, rate, digest,
    )  # fmt: skip
    return Row(values, as_text(content))


def _digest(content: Mapping[str, Any]) -> str:
    """Equal for the same question and answer, as they are stored: of redacted texts it tells no more than they do."""
    both = json.dumps([content["question"], content["answer"]], ensure_ascii=True)
    return blake2b(both.encode(), digest_size=16).hexdigest()


def as_record(row: Sequence[Any]) -> StoredRecord:
    """The record of a row of COLUMNS, HUMAN, content and the number of records like it."""
    found = dict(zip((*COLUMNS, *HUMAN, "content", "seen"), row, strict=True))
    raw = json.loads(found["content"])
    report = read_report(
        raw, verdict=Verdict(found["verdict"]), score=found["score"], engine=found["engine"], seconds=found["seconds"]
    )
    other = raw.get("replacement")
    left_out = raw.get("left_out")
    judged = found["action"] != "none" and left_out is None
    text = raw.get("delivered")
    return StoredRecord(
        id=found["id"],
        at=found["at"],
        report=report,
        action=found["action"],
        rule=found["rule"],
        policy=found["policy"],
        labels=json.loads(found["labels"]),
        text=(report.answer if text is None else text) if judged else None,
        attempts=found["attempts"],
        exhausted=bool(found["exhausted"]),
        replacement=None if other is None else read_report({"passages": raw["passages"], **other}),
        trace_id=found["trace_id"],
        span_id=found["span_id"],
        seconds=found["seconds"],
        weight=1 / found["rate"],
        seen=found["seen"],
        left_out=left_out,
        spans_hold=raw["spans_hold"],
        label=Verdict(found["label"]) if found["label"] else None,
        error_type=ErrorType(found["label_error_type"]) if found["label_error_type"] else None,
        finding_labels={k: Verdict(v) for k, v in json.loads(found["finding_labels"] or "{}").items()},
        note=found["note"],
        labelled_at=found["labelled_at"],
        labelled_by=found["labelled_by"],
    )
