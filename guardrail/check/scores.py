"""All scores, each a reduction of the support matrix (docs/concepts.md). Pure; no model is called here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from guardrail.check.claim_findings import row_verdict
from guardrail.check.entities import Mix, biographies, named_groups
from guardrail.check.verdicts import soft, strict
from guardrail.types import Entity, EntityGroup, Finding, LogicVerdict, Passage, Row, Scores, Segment, Verdict


def answer_verdict(findings: Sequence[Finding]) -> Verdict:
    """The worst verdict of a finding (RefChecker's strict aggregation); UNVERIFIED outranks SUPPORTED."""
    return strict(finding.verdict for finding in findings)


def answer_score(findings: Sequence[Finding]) -> float:
    """The lowest score of a finding: an answer is as well grounded as its weakest part."""
    return min((finding.score for finding in findings), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    """What is counted: a claim, or a segment without claims. ``row`` is None where nobody judged it."""

    segment_id: str
    row: Row | None
    verdict: Verdict

    def supported(self, threshold: float) -> bool:
        return self.row is not None and _supports(self.row, threshold)


def reduce_matrix(
    segments: Sequence[Segment],
    rows: Mapping[str, Row],
    findings: Sequence[Finding],
    groups: Sequence[EntityGroup],
    entities: Sequence[Entity],
    passages: Sequence[Passage],
    threshold: float,
    *,
    claims: Mapping[str, Row] | None = None,
    mixes: Sequence[Mix] = (),
    logic: Mapping[str, LogicVerdict] | None = None,
) -> Scores:
    """Scores of one answer; what nobody could judge counts as not supported, never as missing.

    Facts are the claims of the segments where an engine judged claims, else the segments: FActScore and D-FActScore
    count atomic facts, RefChecker claims. A segment without claims is one fact, so none is lost.

    Args:
        segments: Checked segments.
        rows: Their matrix rows by id.
        findings: Their findings.
        groups: Their entity groups, linked where passages describe namesakes.
        entities: The individuals that the passages describe.
        passages: The passages in the order of the cells.
        threshold: Score from which a cell or row supports a fact (0..1).
        claims: Rows of claims by id; empty or None where the engine judged no claims.
        mixes: Segments that are another namesake's than their group's.
        logic: Verdicts on the relations of segments, by id.
    """
    if not segments:
        return Scores()
    facts = _facts(segments, rows, findings, claims or {}, threshold)
    linked = {s: g.entity for g in groups if g.entity for s in g.segments}
    inside = [f for f in facts if f.supported(threshold) and _inside(f, linked, entities, threshold)]
    ratios = soft(fact.verdict for fact in facts)
    recall, precision = citation_scores(segments, rows, passages, threshold)
    told = [v.consistent for v in (logic or {}).values() if v.consistent is not None]
    claimed = [(f.segment_id, f.row) for f in facts if claims and f.row is not None]
    n_entities, category = biographies(groups, entities, mixes, claimed, threshold)
    return Scores(
        factscore=sum(fact.supported(threshold) for fact in facts) / len(facts),
        d_factscore=len(inside) / len(facts),
        faithfulness=sum(finding.verdict is Verdict.SUPPORTED for finding in findings) / len(segments),
        logic=sum(told) / len(told) if told else None,
        n_groups=named_groups(groups),
        n_entities=n_entities,
        category=category,
        entailment=ratios.entailment,
        neutral=ratios.neutral,
        contradiction=ratios.contradiction,
        citation_recall=recall,
        citation_precision=precision,
    )


def _facts(
    segments: Sequence[Segment],
    rows: Mapping[str, Row],
    findings: Sequence[Finding],
    claims: Mapping[str, Row],
    threshold: float,
) -> list[_Fact]:
    verdicts = {finding.id: finding.verdict for finding in findings}
    facts = []
    for segment in segments:
        if not claims or not segment.claims:
            facts.append(_Fact(segment_id=segment.id, row=rows[segment.id], verdict=verdicts[segment.id]))
            continue
        for claim in segment.claims:
            row = claims.get(claim.id)
            verdict = Verdict.UNVERIFIED if row is None else row_verdict(row, threshold)
            facts.append(_Fact(segment_id=segment.id, row=row, verdict=verdict))
    return facts


def _inside(fact: _Fact, linked: Mapping[str, Entity], entities: Sequence[Entity], threshold: float) -> bool:
    """Whether a supported fact is so without the passages of the namesakes that its group is not about."""
    entity, row = linked.get(fact.segment_id), fact.row
    if entity is None or row is None:
        return row is not None
    foreign = {n for other in entities if other.shares_name and other.id != entity.id for n in other.passages}
    if row.evidence and all(number not in foreign for number, _ in row.evidence):
        return True
    own = [cell for number, cell in enumerate(row.cells) if number not in foreign]
    return any(cell is not None and cell.supported >= threshold for cell in own)


def citation_scores(
    segments: Sequence[Segment], rows: Mapping[str, Row], passages: Sequence[Passage], threshold: float
) -> tuple[float | None, float | None]:
    """Citation recall and precision (D-FActScore, appendix D); both None for an answer that cites nothing.

    Recall: share of segments that their citations support: one of the cited passages does, or all together do and all
    of the quoted evidence stands in cited ones. Precision: share of citations whose passage supports the segment that
    cites it, or holds evidence where they do together. A citation of a passage that is not there supports nothing.
    """
    number_of = {passage.id: number for number, passage in enumerate(passages)}
    cited = good = backed = 0
    for segment in segments:
        row = rows[segment.id]
        numbers = [number_of.get(citation) for citation in segment.citations]
        quoted = {number for number, _ in row.evidence} if _supports(row, threshold) else set()
        together = quoted if quoted <= set(numbers) else set()
        helpful = [n for n in numbers if n is not None and (n in together or _cell_supports(row, n, threshold))]
        cited += len(numbers)
        good += len(helpful)
        backed += bool(helpful)
    if not cited:
        return None, None
    return backed / len(segments), good / cited


def _supports(row: Row, threshold: float) -> bool:
    return row.unverified is None and row.supported >= threshold


def _cell_supports(row: Row, number: int, threshold: float) -> bool:
    cell = row.cells[number]
    return cell is not None and row.unverified is None and cell.supported >= threshold
