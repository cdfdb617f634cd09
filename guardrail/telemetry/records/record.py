"""A record: one guarded answer as it lies in the store, with what people have said of it since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from guardrail.types import ErrorType, Finding, Passage, Report, Span, Verdict

FAULTY = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)
"""Verdicts of answers that the passages do not support."""

KINDS = (Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.ABSTAINED)
"""What a person may call an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecord:
    """One guarded answer.

    Attributes:
        id: 32 hex digits.
        at: When it was guarded, in Unix seconds.
        report: What was found about the answer as it was generated. Without claims, groups and usage.
        action: What the policy did; ``none`` where the answer was only checked, ``abandoned`` where the reader of a
            stream left: then the report is of what had come until then, as far as it was checked.
        rule: The rule that asked for it, or "".
        policy: Name of the policy.
        labels: application, model, retriever, index, release, topic; those that were set.
        text: What was delivered; None where it was only checked or abandoned, or texts were left out.
        attempts: Answers that were checked.
        exhausted: A new answer was asked for and none passed.
        replacement: The report of the answer that was delivered instead, where a new one was.
        trace_id: Of the span ``guardrail.check`` (32 hex digits), as ``span_id`` (16); None without tracing.
        span_id: See trace_id.
        seconds: Time that the guard added.
        weight: How many answers this one stands for: 1 / its chance of being kept.
        seen: Records with the same question and answer, where ``worst`` shows only this one.
        left_out: Why the record has no texts, else None.
        spans_hold: Spans still point to what they say; False after a ``redact`` that changes lengths.
        label: What a person said of the answer: supported, contradicted, unsupported or abstained.
        error_type: The kind of error that a person named.
        finding_labels: The same by the id of a finding.
        note: A person's note, with ``labelled_at`` (Unix seconds) and ``labelled_by``.
        labelled_at: See note.
        labelled_by: See note.
    """

    id: str
    at: float
    report: Report
    action: str
    rule: str
    policy: str
    labels: Mapping[str, str] = field(default_factory=dict)
    text: str | None = None
    attempts: int = 1
    exhausted: bool = False
    replacement: Report | None = None
    trace_id: str | None = None
    span_id: str | None = None
    seconds: float = 0.0
    weight: float = 1.0
    seen: int = 1
    left_out: str | None = None
    spans_hold: bool = True
    label: Verdict | None = None
    error_type: ErrorType | None = None
    finding_labels: Mapping[str, Verdict] = field(default_factory=dict)
    note: str | None = None
    labelled_at: float | None = None
    labelled_by: str | None = None

    @property
    def time(self) -> datetime:
        """``at`` as a time in UTC."""
        return datetime.fromtimestamp(self.at, UTC)

    @property
    def verdict(self) -> Verdict:
        """Of the answer as generated."""
        return self.report.verdict

    @property
    def score(self) -> float:
        """Of the answer (0..1, higher is better grounded)."""
        return self.report.score

    @property
    def question(self) -> str | None:
        """What was asked, if known."""
        return self.report.question

    @property
    def answer(self) -> str:
        """The answer that was checked."""
        return self.report.answer

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What it was checked against."""
        return self.report.passages

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, by segment."""
        return self.report.findings

    @property
    def faults(self) -> tuple[Finding, ...]:
        """Findings that are not supported, or on which passages disagree; contradicted ones first, then by score."""
        at_fault = (f for f in self.findings if f.verdict is not Verdict.SUPPORTED or f.conflict)
        return tuple(sorted(at_fault, key=lambda f: (rank(f.verdict), f.score, f.span)))

    @property
    def human_label(self) -> Verdict | None:
        """What people said of the answer as a whole (see answer_label)."""
        return answer_label(self.label, [finding.id for finding in self.findings], self.finding_labels)

    @property
    def human_error_spans(self) -> tuple[Span, ...]:
        """Stretches of the answer that people called wrong; none where spans do not hold."""
        if not self.spans_hold or self.human_label not in FAULTY:
            return ()
        wrong = {ident for ident, label in self.finding_labels.items() if label in FAULTY}
        return tuple(f.span for f in self.findings if f.id in wrong and f.span.start < f.span.end)


def answer_label(label: Verdict | None, findings: Iterable[str], said: Mapping[str, Verdict]) -> Verdict | None:
    """What people said of an answer: ``label``, else what the labels of its findings (by id) come to, if anything.

    One wrong finding makes the answer wrong; it takes labels of all to call it supported (RefChecker, strict).
    """
    if label is not None:
        return label
    verdicts = set(said.values())
    for verdict in FAULTY:
        if verdict in verdicts:
            return verdict
    idents = set(findings)
    whole = bool(idents) and idents <= set(said)
    return Verdict.SUPPORTED if whole and verdicts == {Verdict.SUPPORTED} else None


def rank(verdict: Verdict) -> int:
    """0 (worst: contradicted) to 3 (nothing to object to)."""
    order = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.UNVERIFIED)
    return order.index(verdict) if verdict in order else len(order)
