"""The report: what a check found, and how that is written as plain JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from guardrail.types.parts import Cause, EntityGroup, ErrorType, Passage, Segment, Span, Usage, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A stretch of a passage that a verdict rests on: ``passage.text[span.start:span.end] == quote``."""

    passage_id: str
    span: Span
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found about one segment. ``score`` is P(supported); 0.0 where it was not verified, for a ``cause``."""

    id: str
    text: str
    span: Span
    claim: str
    verdict: Verdict
    score: float
    error_type: ErrorType | None = None
    entity: str | None = None
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    focus: Span | None = None  # the part of the answer at fault, inside ``span``, where it can be told
    conflict: bool = False  # some passage supports the segment and another contradicts it
    cause: Cause | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimFinding:
    """What was found about one claim, over all passages and by passage (RefChecker's labels per reference).

    ``by_passage`` holds a passage id and its verdict, in the order of the passages; UNVERIFIED where it was not judged.
    """

    id: str
    segment_id: str
    text: str
    triplet: tuple[str, str, str] | None
    span: Span | None
    verdict: Verdict
    score: float
    by_passage: tuple[tuple[str, Verdict], ...] = ()
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""


class BiographyCategory(StrEnum):
    """D-FActScore's four types of answers about a name that several bear (section 2.4).

    ``bio``: an individual that a reader without prior knowledge tells apart. ``entity``: one that facts are taken from.
    """

    ONE_BIO_ONE_ENTITY = "one_bio_one_entity"
    ONE_BIO_N_ENTITIES = "one_bio_n_entities"  # several individuals merged into one
    N_BIOS_N_ENTITIES = "n_bios_n_entities"
    NO_BIO = "no_bio"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Reductions of the matrix; None where undefined (no claims, no citations, no namesakes).

    Facts are claims where the engine judged claims, else segments. ``factscore``: share of facts that some passage
    supports (FActScore). ``d_factscore``: the same inside the entity linked to the fact's group (D-FActScore, equation
    2). ``faithfulness``: share of findings SUPPORTED after facts, logic and entities. ``logic``: share of the relations
    that could be judged which the passages license (L-Face4RAG, section 4.3). ``n_groups``: individuals that
    the answer speaks of; ``n_entities``: those that its facts are taken from; ``category``: both together, where the
    passages describe namesakes. ``entailment``, ``neutral``, ``contradiction``: RefChecker's soft ratios over facts;
    the rest to 1 is unverified. ``citation_recall`` and ``citation_precision``: D-FActScore, appendix D, over segments.
    """

    factscore: float | None = None
    d_factscore: float | None = None
    faithfulness: float | None = None
    logic: float | None = None
    n_groups: int = 0
    n_entities: int = 0
    category: BiographyCategory | None = None
    entailment: float | None = None
    neutral: float | None = None
    contradiction: float | None = None
    citation_recall: float | None = None
    citation_precision: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything the check found. ``score`` (0..1) is the lowest score of a finding: put a threshold on it.

    ``retrieved``: the passages were looked up for this check (zero context), since none were given.
    """

    verdict: Verdict
    score: float
    answer: str
    passages: tuple[Passage, ...]
    question: str | None = None
    findings: tuple[Finding, ...] = ()
    claims: tuple[ClaimFinding, ...] = ()
    skipped: tuple[Segment, ...] = ()
    groups: tuple[EntityGroup, ...] = ()
    scores: Scores = field(default_factory=Scores)
    usage: Usage = field(default_factory=Usage)
    retrieved: bool = False
    reason: str = ""
    engine: str = ""
    seconds: float = 0.0

    def to_dict(self, *, texts: bool = False) -> dict[str, Any]:
        """Verdict, score and findings as plain JSON; see GuardedAnswer.to_dict."""
        return summary_record(self, None if texts else self.answer)


def summary_record(report: Report, shown: str | None, actions: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A report as plain JSON.

    Args:
        report: Findings with the titles of their evidence.
        shown: The text that readers have; None = all texts are written. A reason may quote the answer: that of a
            segment which readers do not have is left out.
        actions: Of the findings, by id, where the policy has decided.
    """
    titles = {p.id: p.title for p in report.passages}
    found = [_finding(f, titles, shown) | ({"action": actions[f.id]} if actions else {}) for f in report.findings]
    short = {
        "verdict": report.verdict.value,
        "score": round(report.score, 4),
        "reason": report.reason,
        "engine": report.engine,
        "findings": found,
    }
    if shown is not None:
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


def _finding(finding: Finding, titles: Mapping[str, str | None], shown: str | None) -> dict[str, Any]:
    record = finding_record(finding)
    evidence = [{**quote, "title": titles.get(quote["passage_id"])} for quote in record["evidence"]]
    if shown is None:
        return {**record, "evidence": evidence}
    named = dict.fromkeys((quote["passage_id"], quote["title"]) for quote in evidence)
    return {
        **{key: record[key] for key in _SHORT},
        "reason": finding.reason if finding.text in shown else "",
        "evidence": [{"passage_id": ident, "title": title} for ident, title in named],
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
