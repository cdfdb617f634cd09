"""A record as rows of the two tables: what is searched for, and apart from it the texts as JSON, redacted.

A finding's text and a quote are written only where they are not what their spans cut out of answer and passage.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from guardrail.telemetry.outcome import ABANDONED, Outcome
from guardrail.telemetry.records.database import storable
from guardrail.telemetry.records.record import StoredRecord, rank
from guardrail.telemetry.records.retention import is_clean
from guardrail.types import ErrorType, Finding, Report, Span, Verdict
from guardrail.types.report_json import read_report, report_record

Redact = Callable[[str], str]

MOST = 1_000_000
"""Characters of question, answer and passages from which on no texts are stored: such a record would be megabytes."""

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
    if _size(outcome) > MOST:
        content = _without_texts(outcome.report, "too long")
    else:
        try:
            content = _content(outcome, redact)
        except BaseException as error:  # a panic of Rust is no Exception; its message may hold the text itself
            content = _without_texts(outcome.report, f"redact failed: {type(error).__name__}")
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
    return Row(values, _as_text(content))


def _digest(content: Mapping[str, Any]) -> str:
    """Equal for the same question and answer, as they are stored: of redacted texts it shows no more than they do."""
    both = json.dumps([content["question"], content["answer"]], ensure_ascii=True)
    return blake2b(both.encode(), digest_size=16).hexdigest()


def _content(outcome: Outcome, redact: Redact | None) -> dict[str, Any]:
    """Texts, findings and scores; what ``redact`` raises is passed on."""
    texts = _Redaction(redact)
    guarded, other = outcome.guarded, _replacement(outcome)
    first = _compact(texts.report(outcome.report))
    second = None if other is None else _compact(texts.report(other))
    if second is not None and other is not None and other.passages == outcome.report.passages:
        del second["passages"]
    same = guarded is None or guarded.text == outcome.report.answer
    return {
        **first,
        "delivered": None if same or guarded is None else texts.of(guarded.text),
        "replacement": second,
        "spans_hold": texts.lengths_kept,
    }


def _without_texts(report: Report, why: str) -> dict[str, Any]:
    """The same without any text."""
    bare = tuple(
        replace(f, text="", claim="", entity=None, reason="", evidence=(), focus=None) for f in report.findings
    )
    empty = replace(report, question=None, answer="", passages=(), findings=bare, reason="")
    return {**_compact(empty), "spans_hold": False, "left_out": why}


def _size(outcome: Outcome) -> int:
    """Characters of questions, answers and passages."""
    other = _replacement(outcome)
    reports = [outcome.report] if other is None else [outcome.report, other]
    return sum(len(r.question or "") + len(r.answer) + sum(len(p.text) for p in r.passages) for r in reports)


def _replacement(outcome: Outcome) -> Report | None:
    """The report of an answer that was delivered in place of the one that the outcome is about."""
    guarded = outcome.guarded
    return None if guarded is None or guarded.report is outcome.report else guarded.report


@dataclass(slots=True)
class _Redaction:
    """Redacts reports; notes whether lengths were kept. A text that comes up twice is redacted once."""

    redact: Redact | None
    lengths_kept: bool = True
    _known: dict[str, str] = field(default_factory=dict)

    def of(self, text: str) -> str:
        if self.redact is None or not text:
            return text
        if text not in self._known:
            redacted = self.redact(text)
            if not isinstance(redacted, str):
                raise TypeError(f"redact returned {type(redacted).__name__}, not str")
            self._known[text] = redacted
        return self._known[text]

    def report(self, report: Report) -> Report:
        texts = {p.id: p.text for p in report.passages}
        return replace(
            report,
            question=None if report.question is None else self.of(report.question),
            answer=self._whole(report.answer),
            passages=tuple(
                replace(p, title=None if p.title is None else self.of(p.title), text=self._whole(p.text))
                for p in report.passages
            ),
            findings=tuple(self._finding(f, report.answer, texts) for f in report.findings),
            reason=self.of(report.reason),
        )

    def _finding(self, finding: Finding, answer: str, texts: Mapping[str, str]) -> Finding:
        text = self._part(finding.text, finding.span, answer)
        return replace(
            finding,
            text=text,
            claim=text if finding.claim == finding.text else self.of(finding.claim),
            entity=None if finding.entity is None else self.of(finding.entity),
            reason=self.of(finding.reason),
            evidence=tuple(
                replace(e, quote=self._part(e.quote, e.span, texts.get(e.passage_id, ""))) for e in finding.evidence
            ),
        )

    def _whole(self, text: str) -> str:
        """A text that spans point into."""
        redacted = self.of(text)
        self.lengths_kept &= len(redacted) == len(text)
        return redacted

    def _part(self, text: str, span: Span, whole: str) -> str:
        """A part of a text that kept its length is cut out of it.

        What is redacted because of the words beside it must not come back in a quote without them.
        """
        redacted = self.of(whole)
        cut = len(redacted) == len(whole) and span.of(whole) == text
        return span.of(redacted) if cut else self.of(text)


def _compact(report: Report) -> dict[str, Any]:
    """The report without what its spans, or defaults, say."""
    raw = report_record(report)
    texts = {p.id: p.text for p in report.passages}
    findings = []
    for finding, full in zip(report.findings, raw["findings"], strict=True):
        if finding.claim == finding.text:
            del full["claim"]
        if finding.text == finding.span.of(report.answer):
            del full["text"]
        for evidence, quoted in zip(finding.evidence, full["evidence"], strict=True):
            if evidence.quote == evidence.span.of(texts.get(evidence.passage_id, "")):
                del quoted["quote"]
        findings.append({k: v for k, v in full.items() if v is not None and (v or k not in ("reason", "conflict"))})
    return {**raw, "findings": findings}


def _as_text(value: Mapping[str, Any]) -> str:
    """The content as JSON that every file can hold."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which no file can hold: written as an escape
        return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text


def as_record(row: Sequence[Any]) -> StoredRecord:
    """The record of a row of COLUMNS, HUMAN, content and the number of records like it."""
    found = dict(zip((*COLUMNS, *HUMAN, "content", "seen"), row, strict=True))
    raw = json.loads(found["content"])
    report = read_report(
        raw, verdict=Verdict(found["verdict"]), score=found["score"], engine=found["engine"], seconds=found["seconds"]
    )
    other = raw.get("replacement")
    left_out = raw.get("left_out")
    judged = found["action"] not in {"none", ABANDONED} and left_out is None
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
