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


def with_refusals(
    draft: Draft, matrix: SupportMatrix, declining: Collection[Segment], threshold: float
) -> tuple[Draft, SupportMatrix]:
    """The refusals that the passages contradict as claims to check; of the others nothing is told."""
    ids = {segment.id for segment in declining}
    false = {
        row.segment_id
        for row in matrix.rows
        if row.segment_id in ids and verdict_of(row, threshold) is Verdict.CONTRADICTED
    }
    true = ids - false
    if false:
        segments = tuple(replace(s, skipped=None) if s.id in false else s for s in draft.parts.segments)
        draft = replace(draft, parts=replace(draft.parts, segments=segments, abstained=False))
    told = replace(
        matrix,
        rows=tuple(row for row in matrix.rows if row.segment_id not in true),
        logic=tuple(verdict for verdict in matrix.logic if verdict.segment_id not in true),
    )
    return draft, told
