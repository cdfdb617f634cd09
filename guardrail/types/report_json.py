"""Reports as plain JSON, and back: for files and records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from guardrail.types.delivery import GuardedAnswer
from guardrail.types.parts import Cause, ErrorType, Passage, Span, Verdict
from guardrail.types.report import (
    BiographyCategory,
    Evidence,
    Finding,
    Report,
    Scores,
    finding_record,
    passage_record,
)


def result_record(ident: str | int | None, guarded: GuardedAnswer) -> dict[str, Any]:
    """What is written for one answer: its id, and all of the guarded answer with texts."""
    return {"id": ident, **guarded.to_dict(texts=True)}


def report_record(report: Report) -> dict[str, Any]:
    """All that ``read_report`` reads: a report without claims, groups and usage; scores are not rounded."""
    return {
        "question": report.question,
        "answer": report.answer,
        "verdict": report.verdict.value,
        "score": report.score,
        "passages": [passage_record(p) for p in report.passages],
        "findings": [{**finding_record(f), "score": f.score} for f in report.findings],
        "scores": {name: value for name, value in asdict(report.scores).items() if value is not None},
        "reason": report.reason,
        "retrieved": report.retrieved,
    }


def read_report(raw: Mapping[str, Any], **known: Any) -> Report:
    """The report that ``report_record`` wrote.

    Args:
        raw: Its JSON. Texts and quotes that are left out are what their spans cut out of answer and passage.
        **known: Fields that stand elsewhere.
    """
    answer, scores = raw["answer"], raw["scores"]
    passages = tuple(Passage(**p) for p in raw.get("passages", ()))
    category = scores.get("category")
    fields = {
        "verdict": Verdict(raw.get("verdict", Verdict.UNVERIFIED)),
        "score": raw.get("score", 0.0),
        "answer": answer,
        "passages": passages,
        "question": raw.get("question"),
        "findings": tuple(_read_finding(f, answer, {p.id: p.text for p in passages}) for f in raw["findings"]),
        "scores": Scores(**{**scores, "category": None if category is None else BiographyCategory(category)}),
        "reason": raw.get("reason", ""),
        "retrieved": raw.get("retrieved", False),
    }
    return Report(**{**fields, **known})


def _read_finding(raw: Mapping[str, Any], answer: str, texts: Mapping[str, str]) -> Finding:
    span = Span(*raw["span"])
    text = raw.get("text", span.of(answer))
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
        evidence=tuple(_read_evidence(e, texts) for e in raw.get("evidence", ())),
        focus=Span(*raw["focus"]) if raw.get("focus") else None,
        conflict=raw.get("conflict", False),
        cause=Cause(raw["cause"]) if raw.get("cause") else None,
    )


def _read_evidence(raw: Mapping[str, Any], texts: Mapping[str, str]) -> Evidence:
    span, passage_id = Span(*raw["span"]), raw["passage_id"]
    return Evidence(passage_id=passage_id, span=span, quote=raw.get("quote", span.of(texts.get(passage_id, ""))))
