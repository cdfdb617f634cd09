"""All scores, each a reduction of the support matrix (docs/concepts.md). Pure; no model is called here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guardrail.check.entities import biographies, named_groups
from guardrail.check.matrix import VerifiedAnswer
from guardrail.check.verdicts import soft, strict, verdict_of
from guardrail.types import Finding, Row, Scores, Verdict


def answer_verdict(findings: Sequence[Finding]) -> Verdict:
    """The worst verdict of a finding (RefChecker's strict aggregation); UNVERIFIED outranks SUPPORTED."""
    return strict(finding.verdict for finding in findings)


def answer_score(findings: Sequence[Finding]) -> float:
    """The lowest score of a finding: an answer is as well grounded as its weakest part."""
    return min((finding.score for finding in findings), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    """What is counted: a claim, or a segment without claims; ``verdict`` is the finding's, of a segment."""

    segment_id: str
    row: Row | None
    verdict: Verdict


def reduce_matrix(known: VerifiedAnswer, findings: Sequence[Finding]) -> Scores:
    """Scores of one answer; what is not verified counts as not supported, never as missing.

    Facts are the claims of the segments where an engine judged claims, else the segments: FActScore and D-FActScore
    count atomic facts, RefChecker claims. A segment without claims is one fact, so none is lost.
    """
    if not known.segments:
        return Scores()
    facts = _facts(known, findings)
    supported = [fact for fact in facts if verdict_of(fact.row, known.threshold) is Verdict.SUPPORTED]
    ratios = soft(fact.verdict for fact in facts)
    recall, precision = citation_scores(known)
    licensed = [verdict.consistent for verdict in known.logic if verdict.consistent is not None]
    claimed = [(fact.segment_id, fact.row) for fact in facts if known.matrix.claims and fact.row is not None]
    n_entities, category = biographies(known.groups, known.entities, known.mixes, claimed, known.threshold)
    return Scores(
        factscore=len(supported) / len(facts),
        d_factscore=sum(_is_own(fact, known) for fact in supported) / len(facts),
        faithfulness=sum(finding.verdict is Verdict.SUPPORTED for finding in findings) / len(known.segments),
        logic=sum(licensed) / len(licensed) if licensed else None,
        n_groups=named_groups(known.groups),
        n_entities=n_entities,
        category=category,
        entailment=ratios.entailment,
        neutral=ratios.neutral,
        contradiction=ratios.contradiction,
        citation_recall=recall,
        citation_precision=precision,
    )


def _facts(known: VerifiedAnswer, findings: Sequence[Finding]) -> list[_Fact]:
    facts = []
    for segment, finding in zip(known.segments, findings, strict=True):
        if not known.matrix.claims or not segment.claims:
            facts.append(_Fact(segment_id=segment.id, row=known.row(segment.id), verdict=finding.verdict))
            continue
        for claim in segment.claims:
            row = known.claim(claim.id)
            facts.append(_Fact(segment_id=segment.id, row=row, verdict=verdict_of(row, known.threshold)))
    return facts


def _is_own(fact: _Fact, known: VerifiedAnswer) -> bool:
    """Whether a supported fact is so without the passages of the namesakes that its group is not about."""
    row, foreign = fact.row, known.foreign_to(fact.segment_id)
    if row is None or not foreign:
        return row is not None
    if row.evidence and all(number not in foreign for number, _ in row.evidence):
        return True
    own = [cell for number, cell in enumerate(row.cells) if number not in foreign]
    return any(verdict_of(cell, known.threshold) is Verdict.SUPPORTED for cell in own)


def citation_scores(known: VerifiedAnswer) -> tuple[float | None, float | None]:
    """Citation recall and precision (D-FActScore, appendix D); both None for an answer that cites nothing.

    Recall: share of segments that their citations support: one of the cited passages does, or all together do and all
    of the quoted evidence stands in cited ones. Precision: share of citations whose passage supports the segment that
    cites it, or holds evidence where they do together. A citation of a passage that is not there supports nothing.
    """
    number_of = {passage.id: number for number, passage in enumerate(known.passages)}
    cited = good = backed = 0
    for segment in known.segments:
        row = known.row(segment.id)
        numbers = [number_of.get(citation) for citation in segment.citations]
        supported = verdict_of(row, known.threshold) is Verdict.SUPPORTED
        quoted = {number for number, _ in row.evidence} if supported else set()
        together = quoted if quoted <= set(numbers) else set()
        helpful = [n for n in numbers if n is not None and (n in together or _supports(row, n, known.threshold))]
        cited += len(numbers)
        good += len(helpful)
        backed += bool(helpful)
    if not cited:
        return None, None
    return backed / len(known.segments), good / cited


def _supports(row: Row, number: int, threshold: float) -> bool:
    return row.unverified is None and verdict_of(row.cells[number], threshold) is Verdict.SUPPORTED
