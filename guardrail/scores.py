"""All scores, each a reduction of the support matrix (docs/concepts.md). Pure; no model is called here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from guardrail.types import Entity, EntityGroup, Finding, Passage, Row, Scores, Segment, Verdict

_ORDER = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.UNVERIFIED)


def answer_verdict(findings: Sequence[Finding]) -> Verdict:
    """The worst verdict of a finding (RefChecker's strict aggregation); UNVERIFIED outranks SUPPORTED."""
    present = {finding.verdict for finding in findings}
    return next((verdict for verdict in _ORDER if verdict in present), Verdict.SUPPORTED)


def answer_score(findings: Sequence[Finding]) -> float:
    """The lowest score of a finding: an answer is as well grounded as its weakest part."""
    return min((finding.score for finding in findings), default=0.0)


def reduce_matrix(
    segments: Sequence[Segment],
    rows: Mapping[str, Row],
    findings: Sequence[Finding],
    groups: Sequence[EntityGroup],
    entities: Sequence[Entity],
    passages: Sequence[Passage],
    threshold: float,
) -> Scores:
    """Scores of one answer; a segment that nobody could judge counts as not supported, never as missing.

    Args:
        segments: Checked segments.
        rows: Their matrix rows by id.
        findings: Their findings.
        groups: Their entity groups, linked where passages describe namesakes.
        entities: The individuals that the passages describe.
        passages: The passages in the order of the cells.
        threshold: Score from which a cell or row supports a segment (0..1).
    """
    if not segments:
        return Scores()
    total = len(segments)
    linked = {s: g.entity for g in groups if g.entity for s in g.segments}
    namesakes = [entity for entity in entities if entity.shares_name]

    def inside(segment: Segment) -> bool:
        """Supported without the passages of the namesakes that the group is not about."""
        entity, row = linked.get(segment.id), rows[segment.id]
        if entity is None or row.supported < threshold:
            return row.supported >= threshold
        foreign = {number for other in namesakes if other.id != entity.id for number in other.passages}
        own = [cell for number, cell in enumerate(row.cells) if number not in foreign]
        if all(number not in foreign for number, _ in row.evidence):
            return True
        return any(cell is not None and cell.supported >= threshold for cell in own)

    def share(verdict: Verdict) -> float:
        return sum(finding.verdict is verdict for finding in findings) / total

    recall, precision = citation_scores(segments, rows, passages, threshold)
    return Scores(
        factscore=sum(rows[s.id].supported >= threshold for s in segments) / total,
        d_factscore=sum(inside(s) for s in segments) / total,
        faithfulness=share(Verdict.SUPPORTED),
        n_groups=named_groups(groups),
        n_entities=len({g.entity.id for g in groups if g.entity}) or min(len(groups), 1),
        entailment=share(Verdict.SUPPORTED),
        neutral=share(Verdict.UNSUPPORTED),
        contradiction=share(Verdict.CONTRADICTED),
        citation_recall=recall,
        citation_precision=precision,
    )


def named_groups(groups: Sequence[EntityGroup]) -> int:
    """Individuals that the answer speaks of (#bios); a nameless group counts only where there is no named one."""
    return sum(bool(group.name) for group in groups) or min(len(groups), 1)


def citation_scores(
    segments: Sequence[Segment], rows: Mapping[str, Row], passages: Sequence[Passage], threshold: float
) -> tuple[float | None, float | None]:
    """Citation recall and precision (D-FActScore, appendix D); both None for an answer that cites nothing.

    Recall: share of segments that one of their cited passages supports. Precision: share of citations whose passage
    supports the segment that cites it. A citation of a passage that is not there supports nothing.
    """
    number_of = {passage.id: number for number, passage in enumerate(passages)}
    cited = supported = backed = 0
    for segment in segments:
        good = 0
        for citation in segment.citations:
            number = number_of.get(citation)
            cell = rows[segment.id].cells[number] if number is not None else None
            good += cell is not None and cell.supported >= threshold
        cited += len(segment.citations)
        supported += good
        backed += good > 0
    if not cited:
        return None, None
    return backed / len(segments), supported / cited
