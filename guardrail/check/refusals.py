"""Refusals read against the passages, which may say what the answer claims they lack.

The rules skip what only declines to answer. An engine with ``judges_refusals`` is shown it all the same; where it finds
the passages to say otherwise, the refusal is checked like any claim, else it stays skipped, whatever was made of it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from guardrail.check.contract import AsyncEngine, Draft, Engine, RefusalJudge
from guardrail.check.decompose.checkworthiness import DECLINES
from guardrail.check.verdicts import verdict_of
from guardrail.types import Segment, SupportMatrix, Verdict


def refusals(engine: Engine | AsyncEngine, draft: Draft) -> tuple[Segment, ...]:
    """The segments that only decline, where the engine tells whether they may."""
    if not isinstance(engine, RefusalJudge) or not engine.judges_refusals:
        return ()
    return tuple(segment for segment in draft.parts.segments if segment.skipped == DECLINES)


def refuted(declining: Collection[Segment], matrix: SupportMatrix, threshold: float) -> frozenset[str]:
    """Ids of the refusals that the passages contradict."""
    ids = {segment.id for segment in declining}
    return frozenset(
        row.segment_id
        for row in matrix.rows
        if row.segment_id in ids and verdict_of(row, threshold) is Verdict.CONTRADICTED
    )


def with_refuted(draft: Draft, ids: frozenset[str]) -> Draft:
    """The draft in which these refusals are claims to check."""
    if not ids:
        return draft
    segments = tuple(replace(s, skipped=None) if s.id in ids else s for s in draft.parts.segments)
    return replace(draft, parts=replace(draft.parts, segments=segments, abstained=False))


def without_rows(matrix: SupportMatrix, ids: Collection[str]) -> SupportMatrix:
    """The matrix without what was made of these segments."""
    return replace(
        matrix,
        rows=tuple(row for row in matrix.rows if row.segment_id not in ids),
        logic=tuple(verdict for verdict in matrix.logic if verdict.segment_id not in ids),
    )
