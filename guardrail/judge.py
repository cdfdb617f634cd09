"""Verdicts: one finding per segment from its matrix row, its logic verdict and its entity. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from guardrail.entities import Mix
from guardrail.types import (
    EntityGroup,
    ErrorType,
    Evidence,
    Finding,
    LogicVerdict,
    Passage,
    Row,
    Segment,
    Span,
    Verdict,
)

_CONFLICT_SUPPORT = 0.85
_CONFLICT_CONTRADICTION = 0.9
"""Both must be this clear before passages are said to disagree."""

_LOGIC_DISCOUNT = 0.5
_LOGIC_CONTRADICTED = 0.2
"""Factors on the score of a segment whose facts hold but whose relation is not licensed, or is the reverse."""


def judge(
    segments: Sequence[Segment],
    rows: Mapping[str, Row],
    logic: Mapping[str, LogicVerdict],
    groups: Sequence[EntityGroup],
    mixes: Mapping[str, Mix],
    answer: str,
    passages: Sequence[Passage],
    threshold: float,
) -> tuple[Finding, ...]:
    """One finding per segment, in order.

    Args:
        segments: The segments to judge; rows, logic verdicts and mixes are looked up by their ids.
        rows: Matrix rows; every segment must have one.
        logic: Logic verdicts of segments that state a relation.
        groups: Entity groups; every segment is in one.
        mixes: Segments that belong to another individual than their group.
        answer: The answer that the segments' spans index.
        passages: The passages in the order of the rows' cells.
        threshold: Score (0..1) from which a segment counts as supported.
    """
    entity_of = {s: (g.entity.title if g.entity else g.name or None) for g in groups for s in g.segments}
    findings = []
    for segment in segments:
        finding = _from_row(segment, rows[segment.id], answer, passages, threshold, entity_of.get(segment.id))
        finding = _with_logic(finding, segment, logic.get(segment.id), answer)
        findings.append(_with_entity(finding, mixes.get(segment.id), passages, rows[segment.id]))
    return tuple(findings)


def unjudged(segment: Segment, answer: str, reason: str) -> Finding:
    """The finding of a segment that nobody judged."""
    return Finding(
        id=segment.id,
        text=segment.span.of(answer),
        span=segment.span,
        claim=segment.text,
        verdict=Verdict.UNVERIFIED,
        score=0.0,
        reason=reason,
    )


def _from_row(
    segment: Segment, row: Row, answer: str, passages: Sequence[Passage], threshold: float, entity: str | None
) -> Finding:
    start = replace(
        unjudged(segment, answer, row.unverified or ""),
        entity=entity,
        evidence=tuple(quote(passages[number], span) for number, span in row.evidence),
    )
    if row.unverified is not None:
        return start
    if row.supported >= threshold:
        return replace(start, verdict=Verdict.SUPPORTED, score=row.supported, conflict=disagree(row))
    verdict = Verdict.CONTRADICTED if row.contradicted >= 0.5 else Verdict.UNSUPPORTED
    error = row.error_type or ErrorType.HALLUCINATION
    # The type must not say otherwise than the verdict: these two differ only in that.
    if verdict is Verdict.UNSUPPORTED and error is ErrorType.CONTRADICTION:
        error = ErrorType.HALLUCINATION
    elif verdict is Verdict.CONTRADICTED and error is ErrorType.HALLUCINATION:
        error = ErrorType.CONTRADICTION
    return replace(
        start,
        verdict=verdict,
        score=row.supported,
        error_type=error,
        reason=row.reason,
        focus=locate(segment, row.focus[0], answer) if row.focus else None,
        conflict=disagree(row),
    )


def _with_logic(finding: Finding, segment: Segment, logic: LogicVerdict | None, answer: str) -> Finding:
    """A relation that the passages do not license makes a segment unsupported even where its facts hold."""
    if logic is None or logic.consistent is not False:
        return finding
    if finding.verdict is Verdict.UNVERIFIED and not logic.contradicts:
        return finding  # where no model could read, only a relation that is turned round is sure enough
    factor = _LOGIC_CONTRADICTED if logic.contradicts else _LOGIC_DISCOUNT
    worse = logic.contradicts or finding.verdict is Verdict.CONTRADICTED
    if finding.verdict is not Verdict.SUPPORTED and finding.focus is not None:
        return replace(finding, verdict=Verdict.CONTRADICTED) if worse else finding  # a hard fact explains it better
    return replace(
        finding,
        verdict=Verdict.CONTRADICTED if worse else Verdict.UNSUPPORTED,
        score=finding.score * factor,
        error_type=logic.error_type or ErrorType.OTHER_LOGIC,
        reason=logic.reason,
        focus=locate(segment, logic.focus, answer) if logic.focus else None,
    )


def _with_entity(finding: Finding, mix: Mix | None, passages: Sequence[Passage], row: Row) -> Finding:
    """A fact of a namesake: some passage bears it out, but for another individual than the one spoken of."""
    if mix is None or finding.verdict is Verdict.UNVERIFIED:
        return finding
    spans = [
        quote(passages[number], span)
        for number in mix.other.passages
        if (cell := row.cells[number]) is not None
        for span in cell.evidence
    ]
    return replace(
        finding,
        verdict=Verdict.CONTRADICTED if finding.verdict is Verdict.CONTRADICTED else Verdict.UNSUPPORTED,
        score=finding.score * _LOGIC_CONTRADICTED,
        error_type=ErrorType.MIXED_ENTITIES,
        entity=mix.linked.title,
        reason=f"This is said of {mix.linked.title!r}, but the passages say it of {mix.other.title!r}.",
        evidence=tuple(spans) or finding.evidence,
    )


def disagree(row: Row) -> bool:
    """Whether one passage clearly supports the segment and another clearly contradicts it."""
    read = [cell for cell in row.cells if cell is not None]
    supports = any(c.supported >= _CONFLICT_SUPPORT for c in read)
    return supports and any(c.contradicted >= _CONFLICT_CONTRADICTION and c.supported < 0.5 for c in read)


def quote(passage: Passage, span: Span) -> Evidence:
    """Evidence with its verbatim text."""
    return Evidence(passage_id=passage.id, span=span, quote=span.of(passage.text))


def locate(segment: Segment, span: Span, answer: str) -> Span | None:
    """Where a stretch of the stand-alone text stands in the answer; None if the answer words it otherwise."""
    if segment.text == segment.span.of(answer):
        return Span(segment.span.start + span.start, segment.span.start + span.end)
    wanted = span.of(segment.text).strip()
    if not wanted:
        return None
    # Rewording moves a stretch by a few characters, so of several the nearest is meant.
    found = [m.start() for m in re.finditer(rf"(?<!\w){re.escape(wanted)}(?!\w)", segment.span.of(answer))]
    if not found:
        return None
    start = segment.span.start + min(found, key=lambda position: abs(position - span.start))
    return Span(start, start + len(wanted))
