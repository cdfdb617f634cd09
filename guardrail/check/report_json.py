"""Reports and guarded answers as plain JSON, and back: for files, records, metadata and responses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from guardrail.types import (
    BiographyCategory,
    Cause,
    ClaimFinding,
    ErrorType,
    Evidence,
    Finding,
    GuardedAnswer,
    Passage,
    Report,
    Scores,
    Span,
    Verdict,
)


def result_record(ident: str | int | None, guarded: GuardedAnswer) -> dict[str, Any]:
    """What is written for one answer: its id and ``guarded_record`` with texts."""
    return {"id": ident, **guarded_record(guarded, texts=True)}


def guarded_record(guarded: GuardedAnswer, *, texts: bool) -> dict[str, Any]:
    """See GuardedAnswer.to_dict."""
    report, decision = guarded.report, guarded.decision
    actions = dict(decision.finding_actions)
    shown = None if texts else guarded.text
    found = [
        {**_finding(f, report, shown), "action": actions.get(f.id, decision.action).value} for f in report.findings
    ]
    return {
        "action": guarded.action.value,
        "policy": decision.policy,
        "rule": decision.rule,
        "attempts": guarded.attempts,
        "exhausted": guarded.exhausted,
        **_summary(report, found, texts=texts),
        **({"text": guarded.text} if texts else {}),
    }


def summary_record(report: Report, *, texts: bool) -> dict[str, Any]:
    """See Report.to_dict."""
    shown = None if texts else report.answer
    return _summary(report, [_finding(f, report, shown) for f in report.findings], texts=texts)


def _summary(report: Report, findings: list[dict[str, Any]], *, texts: bool) -> dict[str, Any]:
    short = {
        "verdict": report.verdict.value,
        "score": round(report.score, 4),
        "reason": report.reason,
        "engine": report.engine,
        "findings": findings,
    }
    if not texts:
        return short
    return {
        **short,
        "claims": [_claim(c) for c in report.claims],
        "skipped": [{"span": list(s.span), "reason": s.skipped} for s in report.skipped],
        "scores": {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(report.scores).items()},
        "usage": asdict(report.usage),
        **({"passages": [passage_record(p) for p in report.passages]} if report.retrieved else {}),
    }


_SHORT = ("id", "span", "verdict", "score", "error_type", "cause", "conflict")


def _finding(finding: Finding, report: Report, shown: str | None) -> dict[str, Any]:
    """A finding with the titles of its evidence; ``shown``: the text that readers have, None = with all texts.

    A reason may quote the answer: that of a segment which readers do not have is left out.
    """
    record, titles = finding_record(finding), {p.id: p.title for p in report.passages}
    evidence = [{**quote, "title": titles.get(quote["passage_id"])} for quote in record["evidence"]]
    if shown is None:
        return {**record, "evidence": evidence}
    named = dict.fromkeys((quote["passage_id"], quote["title"]) for quote in evidence)
    return {
        **{key: record[key] for key in _SHORT},
        "reason": finding.reason if finding.text in shown else "",
        "evidence": [{"passage_id": ident, "title": title} for ident, title in named],
    }


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


def passage_record(passage: Passage) -> dict[str, Any]:
    """A passage as JSON."""
    return {"id": passage.id, "title": passage.title, "text": passage.text}


def finding_record(finding: Finding) -> dict[str, Any]:
    """A finding as JSON."""
    return {
        "id": finding.id,
        "text": finding.text,
        "span": list(finding.span),
        "claim": finding.claim,
        "verdict": finding.verdict.value,
        "score": round(finding.score, 4),
        "error_type": finding.error_type.value if finding.error_type else None,
        "entity": finding.entity,
        "reason": finding.reason,
        "cause": finding.cause.value if finding.cause else None,
        "focus": list(finding.focus) if finding.focus else None,
        "conflict": finding.conflict,
        "evidence": _quotes(finding.evidence),
    }


def _claim(claim: ClaimFinding) -> dict[str, Any]:
    return {
        "id": claim.id,
        "segment_id": claim.segment_id,
        "text": claim.text,
        "triplet": list(claim.triplet) if claim.triplet else None,
        "span": list(claim.span) if claim.span else None,
        "verdict": claim.verdict.value,
        "score": round(claim.score, 4),
        "by_passage": {passage_id: verdict.value for passage_id, verdict in claim.by_passage},
        "evidence": _quotes(claim.evidence),
        "reason": claim.reason,
    }


def _quotes(evidence: Iterable[Evidence]) -> list[dict[str, Any]]:
    return [{"passage_id": e.passage_id, "span": list(e.span), "quote": e.quote} for e in evidence]


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
