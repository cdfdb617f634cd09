"""Verdicts: one finding per segment from its matrix row, its logic verdict and its entity. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from guardrail.check.conflicts import with_conflict
from guardrail.check.entities import Mix
from guardrail.text.language import language, may_be_english
from guardrail.types import (
    Cause,
    Entity,
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

LOGIC_ODDS = 1.0
"""Log-odds that a segment loses where the passages do not license its relation, as ``training/fit.py`` prints it.

It is fitted together with the scorer, so that what the model has seen already does not count twice.
"""

_REFUTED = 0.2
"""Factor on the score where a rule is sure: the relation is turned round, or the fact belongs to a namesake."""


def judge(
    segments: Sequence[Segment],
    rows: Mapping[str, Row],
    logic: Mapping[str, LogicVerdict],
    groups: Sequence[EntityGroup],
    mixes: Mapping[str, Mix],
    answer: str,
    passages: Sequence[Passage],
    threshold: float,
    entities: Sequence[Entity] = (),
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
        entities: The individuals that the passages describe.
    """
    foreign = {s: _foreign(g.entity, entities) for g in groups if g.entity for s in g.segments}
    entity_of = {s: (g.entity.title if g.entity else g.name or None) for g in groups for s in g.segments}
    findings = []
    known = cache(lambda: _known(passages))  # for the whole answer once, and only where something is wrong
    for segment in segments:
        relation = logic.get(segment.id)
        finding = _from_row(segment, rows[segment.id], answer, passages, threshold, entity_of.get(segment.id))
        finding = _with_logic(finding, segment, relation, answer, threshold)
        finding = _with_entity(finding, mixes.get(segment.id), passages, rows[segment.id])
        finding = _with_fault(finding, relation, known)
        others = foreign.get(segment.id, frozenset())
        findings.append(with_conflict(finding, rows[segment.id], passages, others, language(answer)))
    return tuple(findings)


def unjudged(segment: Segment, answer: str, reason: str, cause: Cause) -> Finding:
    """The finding of a segment that nobody judged."""
    return Finding(
        id=segment.id,
        text=segment.span.of(answer),
        span=segment.span,
        claim=segment.text,
        verdict=Verdict.UNVERIFIED,
        score=0.0,
        reason=reason,
        cause=cause,
    )


def _from_row(
    segment: Segment, row: Row, answer: str, passages: Sequence[Passage], threshold: float, entity: str | None
) -> Finding:
    start = replace(
        unjudged(segment, answer, row.unverified or "", row.cause or Cause.ENGINE),
        entity=entity,
        evidence=tuple(quote(passages[number], span) for number, span in row.evidence),
    )
    if row.unverified is not None:
        return start
    start = replace(start, cause=None)
    if row.supported >= threshold:
        return replace(start, verdict=Verdict.SUPPORTED, score=row.supported)
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
    )


def _with_logic(
    finding: Finding, segment: Segment, logic: LogicVerdict | None, answer: str, threshold: float
) -> Finding:
    """A relation that the passages do not license counts against a segment even where its facts hold."""
    if logic is None or logic.consistent is not False:
        return finding
    sure = logic.contradicts or logic.decisive
    if finding.verdict is Verdict.UNVERIFIED and not logic.contradicts:
        return finding  # where no model could read, only a relation that is turned round is sure enough
    score = finding.score * _REFUTED if sure else lowered(finding.score, LOGIC_ODDS)
    if finding.verdict is Verdict.SUPPORTED and score >= threshold and not sure:
        return replace(finding, score=score, reason=logic.reason)
    worse = logic.contradicts or finding.verdict is Verdict.CONTRADICTED
    if finding.verdict is not Verdict.SUPPORTED and finding.focus is not None:
        return replace(finding, verdict=Verdict.CONTRADICTED) if worse else finding  # a hard fact explains it better
    return replace(
        finding,
        verdict=Verdict.CONTRADICTED if worse else Verdict.UNSUPPORTED,
        score=score,
        error_type=logic.error_type or ErrorType.OTHER_LOGIC,
        reason=logic.reason,
        focus=locate(segment, logic.focus, answer) if logic.focus else None,
        cause=None,
    )


def lowered(score: float, odds: float) -> float:
    """The probability whose log-odds are ``odds`` lower."""
    clipped = min(score, 0.9975)  # as far as the scorer goes
    return clipped / (clipped + (1.0 - clipped) * math.exp(odds))


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
        score=finding.score * _REFUTED,
        error_type=ErrorType.MIXED_ENTITIES,
        entity=mix.linked.title,
        reason=f"This is said of {mix.linked.title!r}, but the passages say it of {mix.other.title!r}.",
        evidence=tuple(spans) or finding.evidence,
    )


def _with_fault(finding: Finding, logic: LogicVerdict | None, known: Callable[[], frozenset[str]]) -> Finding:
    """Mark the words at fault: the whole relation of a logic error, else what the evidence words otherwise.

    A hard fact that a rule named is kept, with the stretch around it. A namesake's facts are at fault as a whole.
    """
    wrong = finding.verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED)
    if not wrong or finding.error_type is ErrorType.MIXED_ENTITIES or not may_be_english(finding.text):
        return finding
    from guardrail.check.fault import find_fault, relation_around  # a check has loaded what it needs, by now

    start = finding.span.start
    named = Span(finding.focus.start - start, finding.focus.end - start) if finding.focus else None
    if named is not None and logic is not None and finding.reason == logic.reason:
        found: Span | None = relation_around(finding.text, named)
    else:
        found = find_fault(finding.text, [e.quote for e in finding.evidence], known())
        if named is not None:
            apart = found is None or found.end <= named.start or named.end <= found.start
            found = named if found is None or apart else Span(min(found.start, named.start), max(found.end, named.end))
    return replace(finding, focus=Span(start + found.start, start + found.end)) if found else finding


def _known(passages: Sequence[Passage]) -> frozenset[str]:
    from guardrail.check.fault import known_stems

    return known_stems(p.text for p in passages)


def _foreign(entity: Entity, entities: Sequence[Entity]) -> frozenset[int]:
    """Passages of its namesakes: what they say of somebody else is no disagreement."""
    return frozenset(n for other in entities if other.shares_name and other.id != entity.id for n in other.passages)


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
