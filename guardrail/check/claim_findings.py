"""Findings of single claims, over all passages and by passage. Pure reductions of the support matrix."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.check.judge import quote
from guardrail.types import Cell, Claim, ClaimFinding, Passage, Row, Segment, SupportMatrix, Verdict

_REFUTES = 0.5
"""Probability of a contradiction from which it is one."""


def judge_claims(
    segments: Sequence[Segment], matrix: SupportMatrix, passages: Sequence[Passage], threshold: float
) -> tuple[ClaimFinding, ...]:
    """One finding per claim, in order (RefChecker: Entailment, Neutral or Contradiction per claim and per reference).

    Args:
        segments: Segments with their claims.
        matrix: ``matrix.claims`` are rows by claim id. A claim that has none stands as its segment where that says no
            more than the claim, or could not be judged; of an engine that judges no claims, nothing else comes out.
        passages: The passages in the order of the cells.
        threshold: Score (0..1) from which a claim counts as supported.
    """
    rows = {row.segment_id: row for row in matrix.claims}
    of_segments = {row.segment_id: row for row in matrix.rows}
    findings = []
    for segment in segments:
        for claim in segment.claims:
            row = rows.get(claim.id) or _standing_for(claim, segment, of_segments.get(segment.id))
            if row is None:
                continue
            findings.append(
                ClaimFinding(
                    id=claim.id,
                    segment_id=segment.id,
                    text=claim.text,
                    triplet=claim.triplet,
                    span=claim.span,
                    verdict=row_verdict(row, threshold),
                    score=row.supported,
                    by_passage=tuple(
                        (passage.id, _of_cell(cell, threshold))
                        for passage, cell in zip(passages, row.cells, strict=True)
                    ),
                    evidence=tuple(quote(passages[number], span) for number, span in row.evidence),
                    reason=row.unverified or row.reason,
                )
            )
    return tuple(findings)


def _standing_for(claim: Claim, segment: Segment, row: Row | None) -> Row | None:
    whole = segment.claims == (claim,) and claim.text == segment.text
    return row if row is not None and (whole or row.unverified is not None) else None


def row_verdict(row: Row, threshold: float) -> Verdict:
    """The label of a row, over all passages together."""
    return Verdict.UNVERIFIED if row.unverified is not None else _label(row.supported, row.contradicted, threshold)


def _of_cell(cell: Cell | None, threshold: float) -> Verdict:
    return Verdict.UNVERIFIED if cell is None else _label(cell.supported, cell.contradicted, threshold)


def _label(supported: float, contradicted: float, threshold: float) -> Verdict:
    if supported >= threshold:
        return Verdict.SUPPORTED
    return Verdict.CONTRADICTED if contradicted >= _REFUTES else Verdict.UNSUPPORTED
