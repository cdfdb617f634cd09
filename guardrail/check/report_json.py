"""Answers to check and reports as JSON, one per line, and back. Order and ids are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from guardrail.check.contract import Draft
from guardrail.check.intake import ClaimLike, sentence_of
from guardrail.errors import UsageError, did_you_mean
from guardrail.types import (
    BiographyCategory,
    Cause,
    Claim,
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


class Encoding(TypedDict):
    """How a text stream is decoded."""

    encoding: str
    errors: str


ENCODING: Encoding = {"encoding": "utf-8-sig", "errors": "surrogateescape"}
"""Decoding of JSONL streams: a byte that is not UTF-8 spoils its own line only."""

_NOT_UTF8 = re.compile("[\udc80-\udcff]")


class PassageRecord(BaseModel):
    """A passage in a record."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    id: str | int | None = None
    title: str | None = None


TO_CHECK = ("answer", "passages")
"""Keys that a record to check must have."""


class Record(BaseModel):
    """One answer to check, or only to decompose."""

    model_config = ConfigDict(extra="ignore", strict=True)

    answer: str
    passages: list[str | PassageRecord] | None = None
    id: str | int | None = None
    question: str | None = None

    def to_passages(self) -> list[str | Passage]:
        """The passages as the guard takes them."""
        return [
            p if isinstance(p, str) else Passage(text=p.text, id="" if p.id is None else str(p.id), title=p.title)
            for p in self.passages or ()
        ]

    def to_claims(self) -> list[ClaimLike] | None:
        """The claims as the guard takes them; None: the answer is to be taken apart."""
        return None


class ClaimRecord(BaseModel):
    """A claim in a record, as ``guardrail extract`` writes it; its text may be left out beside a triplet."""

    model_config = ConfigDict(extra="ignore", strict=True)

    text: str | None = None
    triplet: Annotated[list[str], Field(min_length=3, max_length=3)] | None = None
    span: Annotated[list[int], Field(min_length=2, max_length=2)] | None = None

    def to_claim(self) -> Claim:
        """The claim, with an empty text where it says nothing."""
        triplet = (self.triplet[0], self.triplet[1], self.triplet[2]) if self.triplet else None
        text = sentence_of(triplet or ()) if self.text is None else self.text
        return Claim(id="", text=text, triplet=triplet, span=Span(*self.span) if self.span else None)


class ClaimsRecord(Record):
    """One answer to check with the claims to check of it."""

    claims: list[str | list[str] | ClaimRecord]

    def to_claims(self) -> list[ClaimLike] | None:
        """See Record.to_claims."""
        return [c.to_claim() if isinstance(c, ClaimRecord) else c for c in self.claims]


_FORMS = {PassageRecord.__name__, ClaimRecord.__name__}


@dataclass(frozen=True, slots=True)
class Line:
    """A record as read from line ``number`` (1-based), or the error that kept it from being read."""

    number: int
    record: Record | None
    error: str | None = None
    ident: str | int | None = None


def read_lines(lines: Iterable[str], needs: Collection[str] = TO_CHECK) -> Iterator[Line]:
    """Records of a JSONL stream, one at a time; a line that is wrong yields its error, empty lines nothing.

    Args:
        lines: The lines.
        needs: Keys that each record must have; with "claims" among them the records are ClaimsRecords.
    """
    for number, text in enumerate(lines, 1):
        if text.strip():
            yield _read(number, text, needs)


def read_file(path: Path, needs: Collection[str] = TO_CHECK) -> Iterator[Line]:
    """Records of a file: JSONL, or with the suffix ``.json`` one object or a list of objects; see ``read_lines``.

    Raises:
        UsageError: there is no such file, or it is ``.json`` and not valid UTF-8 or JSON as a whole.
    """
    try:
        if path.suffix == ".json":
            raw = json.loads(path.read_text(encoding="utf-8-sig"))
            for number, item in enumerate(raw if isinstance(raw, list) else [raw], 1):
                yield _validate(number, item, needs)
        else:
            with path.open(**ENCODING) as handle:
                yield from read_lines(handle, needs)
    except OSError as error:
        raise UsageError(f"cannot read {str(path)!r}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{str(path)!r} is not UTF-8 text: {error.reason} at byte {error.start}.") from error
    except ValueError as error:  # also a number of too many digits
        raise UsageError(
            f"{str(path)!r} is not valid JSON: {error}. One record per line needs the suffix .jsonl."
        ) from error


def _read(number: int, text: str, needs: Collection[str]) -> Line:
    if _NOT_UTF8.search(text):
        return Line(number, None, "is not UTF-8 text")
    try:
        return _validate(number, json.loads(text), needs)
    except (ValueError, RecursionError) as error:  # ValueError: also a number of too many digits
        return Line(number, None, f"not valid JSON: {error}")


def _validate(number: int, raw: Any, needs: Collection[str]) -> Line:
    if not isinstance(raw, dict):
        return Line(number, None, f"must be a JSON object, got {type(raw).__name__}")
    ident = raw.get("id") if isinstance(raw.get("id"), (str, int)) else None
    for field in needs:
        if field not in raw:
            near = [key for key in raw if did_you_mean(str(key), [field]).startswith("Did")]
            hint = f" (did you mean to rename {near[0]!r}?)" if near else ""
            hint = " (RefChecker's files want --format refchecker)" if field == "answer" and "response" in raw else hint
            return Line(number, None, f"has no {field!r}; its keys are {sorted(raw)}{hint}", ident)
        if raw[field] is None:
            return Line(number, None, f"{field}: must not be null", ident)
    try:
        return Line(number, (ClaimsRecord if "claims" in needs else Record).model_validate(raw), ident=ident)
    except ValidationError as error:
        # A passage is a text or an object; of an object that is wrong, say what is wrong with it as an object.
        inside = [e for e in error.errors() if _FORMS & set(e["loc"][:-1])]
        first = (inside or error.errors())[0]
        where = ".".join(str(part) for part in first["loc"] if part not in _FORMS)
        return Line(number, None, f"{where}: {first['msg'].lower()}, got {first['input']!r:.60}", ident)


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


def extract_record(line: Line, draft: Draft) -> dict[str, Any]:
    """What ``guardrail extract`` writes for one answer; question and passages go through, so that it can be checked.

    ``reason`` is there where the engine failed and the rules took the answer apart.
    """
    record = Record(answer="") if line.record is None else line.record
    return {
        "id": line.ident,
        **record.model_dump(exclude={"id"}, exclude_none=True, exclude_unset=True),
        "claims": [
            {
                "id": claim.id,
                "text": claim.text,
                "triplet": list(claim.triplet) if claim.triplet else None,
                "span": list(claim.span) if claim.span else None,
            }
            for segment in draft.parts.segments
            for claim in segment.claims
        ],
        **({"reason": draft.reason} if draft.reason else {}),
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
