"""The texts of a record as JSON, redacted before they reach the disk, and back.

A finding's text and a quote are written only where they are not what their spans cut out of answer and passage.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from guardrail.telemetry.outcome import Outcome
from guardrail.types import (
    BiographyCategory,
    Cause,
    ErrorType,
    Evidence,
    Finding,
    Passage,
    Report,
    Scores,
    Span,
    Verdict,
)

Redact = Callable[[str], str]

MOST = 1_000_000
"""Characters of question, answer and passages from which on no texts are stored: such a record would be megabytes."""


@dataclass(slots=True)
class _Texts:
    """Redacts; notes whether lengths were kept. A text that comes up twice is redacted once."""

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

    def whole(self, text: str) -> str:
        """A text that spans point into."""
        redacted = self.of(text)
        self.lengths_kept &= len(redacted) == len(text)
        return redacted

    def part(self, text: str, span: Span, whole: str) -> dict[str, str]:
        """``text`` under its key, unless it is ``whole[span]``. A part of a text that kept its length is cut out of it.

        What is redacted because of the words beside it must not come back in a quote without them.
        """
        redacted = self.of(whole)
        kept = len(redacted) == len(whole)
        if kept and span.of(whole) == text:
            return {}
        return {"text": self.of(text)}


def as_content(outcome: Outcome, redact: Redact | None) -> dict[str, Any]:
    """Texts, findings and scores, ready for ``as_text``; what ``redact`` raises is passed on."""
    texts = _Texts(redact)
    guarded = outcome.guarded
    other = _replacement(outcome)
    second = None if other is None else _report(other, texts)
    if second is not None and other is not None and other.passages == outcome.report.passages:
        del second["passages"]
    same = guarded is None or guarded.text == outcome.report.answer
    return {
        **_report(outcome.report, texts),
        "delivered": None if same or guarded is None else texts.of(guarded.text),
        "replacement": second,
        "spans_hold": texts.lengths_kept,
    }


def without_texts(outcome: Outcome, why: str) -> dict[str, Any]:
    """The same without any text."""
    report = outcome.report
    bare = [
        {"id": f.id, "span": f.span, "verdict": f.verdict, "score": f.score, "error_type": f.error_type, "text": "",
         "cause": f.cause, "conflict": f.conflict}
        for f in report.findings
    ]  # fmt: skip
    scores = _scores(report.scores)
    return {"answer": "", "findings": bare, "scores": scores, "spans_hold": False, "left_out": why}


def size(outcome: Outcome) -> int:
    """Characters of questions, answers and passages."""
    other = _replacement(outcome)
    reports = [outcome.report] if other is None else [outcome.report, other]
    return sum(len(r.question or "") + len(r.answer) + sum(len(p.text) for p in r.passages) for r in reports)


def _replacement(outcome: Outcome) -> Report | None:
    """The report of an answer that was delivered in place of the one that the outcome is about."""
    guarded = outcome.guarded
    return None if guarded is None or guarded.report is outcome.report else guarded.report


def as_text(value: Mapping[str, Any]) -> str:
    """The content as JSON that every file can hold."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which no file can hold: written as an escape
        return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text


def _report(report: Report, texts: _Texts) -> dict[str, Any]:
    return {
        "question": None if report.question is None else texts.of(report.question),
        "answer": texts.whole(report.answer),
        "verdict": report.verdict,
        "score": report.score,
        "passages": [
            {"id": p.id, "title": None if p.title is None else texts.of(p.title), "text": texts.whole(p.text)}
            for p in report.passages
        ],
        "findings": [_finding(f, report, texts) for f in report.findings],
        "scores": _scores(report.scores),
        "reason": texts.of(report.reason),
        "retrieved": report.retrieved,
    }


def _scores(scores: Scores) -> dict[str, Any]:
    return {k: v for k, v in asdict(scores).items() if v is not None}


def _finding(finding: Finding, report: Report, texts: _Texts) -> dict[str, Any]:
    passages = {p.id: p.text for p in report.passages}
    raw = {
        "id": finding.id,
        "span": finding.span,
        **texts.part(finding.text, finding.span, report.answer),
        "claim": texts.of(finding.claim) if finding.claim != finding.text else None,
        "verdict": finding.verdict,
        "score": finding.score,
        "error_type": finding.error_type,
        "entity": None if finding.entity is None else texts.of(finding.entity),
        "reason": texts.of(finding.reason) or None,
        "focus": finding.focus,
        "conflict": finding.conflict or None,
        "cause": finding.cause,
        "evidence": [
            {"passage_id": e.passage_id, "span": e.span, **texts.part(e.quote, e.span, passages.get(e.passage_id, ""))}
            for e in finding.evidence
        ],
    }
    return {key: value for key, value in raw.items() if value is not None}


def read_report(raw: Mapping[str, Any], **known: Any) -> Report:
    """The report that ``as_content`` wrote; ``known`` are fields that stand elsewhere."""
    answer = raw["answer"]
    passages = tuple(Passage(**p) for p in raw.get("passages", ()))
    fields = {
        "verdict": Verdict(raw.get("verdict", Verdict.UNVERIFIED)),
        "score": raw.get("score", 0.0),
        "answer": answer,
        "passages": passages,
        "question": raw.get("question"),
        "findings": tuple(_read_finding(f, answer, passages) for f in raw["findings"]),
        "scores": _read_scores(raw["scores"]),
        "reason": raw.get("reason", ""),
        "retrieved": raw.get("retrieved", False),
    }
    return Report(**{**fields, **known})


def _read_scores(raw: Mapping[str, Any]) -> Scores:
    category = raw.get("category")
    return Scores(**{**raw, "category": None if category is None else BiographyCategory(category)})


def _read_finding(raw: Mapping[str, Any], answer: str, passages: tuple[Passage, ...]) -> Finding:
    span = Span(*raw["span"])
    text = raw["text"] if "text" in raw else span.of(answer)
    found = {p.id: p.text for p in passages}
    evidence = []
    for quoted in raw.get("evidence", ()):
        place = Span(*quoted["span"])
        quote = quoted["text"] if "text" in quoted else place.of(found.get(quoted["passage_id"], ""))
        evidence.append(Evidence(passage_id=quoted["passage_id"], span=place, quote=quote))
    return Finding(
        id=raw["id"],
        text=text,
        span=span,
        claim=raw.get("claim", text),
        verdict=Verdict(raw["verdict"]),
        score=raw["score"],
        error_type=ErrorType(raw["error_type"]) if raw.get("error_type") else None,
        entity=raw.get("entity"),
        reason=raw.get("reason", ""),
        evidence=tuple(evidence),
        focus=Span(*raw["focus"]) if raw.get("focus") else None,
        conflict=raw.get("conflict", False),
        cause=Cause(raw["cause"]) if raw.get("cause") else None,
    )
