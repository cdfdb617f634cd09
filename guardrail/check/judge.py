"""One finding per segment from its matrix row, its logic verdict and its entity; and one per claim. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial

from guardrail.check.conflicts import with_conflict
from guardrail.check.entities import Mix
from guardrail.check.matrix import VerifiedAnswer
from guardrail.check.verdicts import verdict_of
from guardrail.text.language import language, may_be_english
from guardrail.types import (
    Cause,
    Claim,
    ClaimFinding,
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
"""Log-odds that a segment loses where the passages do not license its relation.

``training/fit.py`` prints what fits its answers best (0.1 for model version 3, whose scores hold most of it already);
1.0 is kept, for the rules are right in 96 % of the claims that they object to (``training/ablation.py``).
"""

_REFUTED = 0.2
"""Factor on the score where a rule is sure: the relation is turned round, or the fact belongs to a namesake."""


def judge(known: VerifiedAnswer) -> tuple[Finding, ...]:
    """One finding per segment, in order."""
    stems = cache(partial(_known_stems, known.passages))  # once for the answer, and only where something is wrong
    spoken = language(known.answer)
    findings = []
    for segment in known.segments:
        row, relation = known.row(segment.id), known.relation(segment.id)
        finding = _from_row(segment, known)
        finding, by_logic = _with_logic(finding, segment, relation, known)
        finding = _with_entity(finding, known.mix(segment.id), known.passages, row)
        finding = _with_fault(finding, by_logic=by_logic, known=stems)
        findings.append(with_conflict(finding, row, known.passages, known.foreign_to(segment.id), spoken))
    return tuple(findings)


def judge_claims(known: VerifiedAnswer) -> tuple[ClaimFinding, ...]:
    """One finding per claim, in order (RefChecker: Entailment, Neutral or Contradiction per claim and per reference).

    A claim without a row of its own stands as its segment where that says no more than the claim, or could not be
    judged; of an engine that judges no claims, nothing else comes out.
    """
    found = []
    for segment in known.segments:
        for claim in segment.claims:
            row = known.claim(claim.id) or _standing_for(claim, segment, known.row(segment.id))
            if row is not None:
                found.append(_claim_finding(claim, segment, row, known))
    return tuple(found)


def _standing_for(claim: Claim, segment: Segment, row: Row) -> Row | None:
    whole = segment.claims == (claim,) and claim.text == segment.text
    return row if whole or row.unverified is not None else None


def _claim_finding(claim: Claim, segment: Segment, row: Row, known: VerifiedAnswer) -> ClaimFinding:
    cells = zip(known.passages, row.cells, strict=True)
    return ClaimFinding(
        id=claim.id,
        segment_id=segment.id,
        text=claim.text,
        triplet=claim.triplet,
        span=claim.span,
        verdict=verdict_of(row, known.threshold),
        score=row.supported,
        by_passage=tuple((passage.id, verdict_of(cell, known.threshold)) for passage, cell in cells),
        evidence=tuple(quote(known.passages[number], span) for number, span in row.evidence),
        reason=row.unverified or row.reason,
    )


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


def _from_row(segment: Segment, known: VerifiedAnswer) -> Finding:
    row, group = known.row(segment.id), known.group(segment.id)
    entity = None if group is None else group.entity.title if group.entity else group.name or None
    verdict, error, focus = verdict_of(row, known.threshold), None, None
    wrong = verdict not in (Verdict.UNVERIFIED, Verdict.SUPPORTED)
    if wrong:
        error = row.error_type or ErrorType.HALLUCINATION
        # The type must not say otherwise than the verdict: these two differ only in that.
        if verdict is Verdict.UNSUPPORTED and error is ErrorType.CONTRADICTION:
            error = ErrorType.HALLUCINATION
        elif verdict is Verdict.CONTRADICTED and error is ErrorType.HALLUCINATION:
            error = ErrorType.CONTRADICTION
        focus = locate(segment, row.focus[0], known.answer) if row.focus else None
    return Finding(
        id=segment.id,
        text=segment.span.of(known.answer),
        span=segment.span,
        claim=segment.text,
        verdict=verdict,
        score=0.0 if verdict is Verdict.UNVERIFIED else row.supported,
        error_type=error,
        reason=row.reason if wrong else row.unverified or "",
        evidence=tuple(quote(known.passages[number], span) for number, span in row.evidence),
        entity=entity,
        focus=focus,
        cause=row.cause or Cause.ENGINE if verdict is Verdict.UNVERIFIED else None,
    )


def _with_logic(
    finding: Finding, segment: Segment, logic: LogicVerdict | None, known: VerifiedAnswer
) -> tuple[Finding, bool]:
    """A relation that the passages do not license counts against a segment even where its facts hold.

    Returns:
        The finding, and whether its words at fault are those of the relation.
    """
    if logic is None or logic.consistent is not False:
        return finding, False
    sure = logic.contradicts or logic.decisive
    if finding.verdict is Verdict.UNVERIFIED and not logic.contradicts:
        return finding, False  # where no model could read, only a relation that is turned round is sure enough
    score = finding.score * _REFUTED if sure else lowered(finding.score, LOGIC_ODDS)
    if finding.verdict is Verdict.SUPPORTED and score >= known.threshold and not sure:
        return replace(finding, score=score, reason=logic.reason), False
    worse = logic.contradicts or finding.verdict is Verdict.CONTRADICTED
    verdict = Verdict.CONTRADICTED if worse else Verdict.UNSUPPORTED
    if finding.verdict is not Verdict.SUPPORTED and finding.focus is not None:
        return replace(finding, verdict=verdict), False  # a hard fact explains it better
    failed = replace(
        finding,
        verdict=verdict,
        score=score,
        error_type=logic.error_type or ErrorType.OTHER_LOGIC,
        reason=logic.reason,
        focus=locate(segment, logic.focus, known.answer) if logic.focus else None,
        cause=None,
    )
    return failed, True


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


def _with_fault(finding: Finding, *, by_logic: bool, known: Callable[[], frozenset[str]]) -> Finding:
    """Mark the words at fault: the whole relation of a logic error, else what the evidence words otherwise.

    A hard fact that a rule named is kept, with the stretch around it. A namesake's facts are at fault as a whole.
    """
    wrong = finding.verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED)
    if not wrong or finding.error_type is ErrorType.MIXED_ENTITIES or not may_be_english(finding.text):
        return finding
    from guardrail.check.fault import find_fault, relation_around  # a check has loaded what it needs, by now

    start = finding.span.start
    named = Span(finding.focus.start - start, finding.focus.end - start) if finding.focus else None
    if named is not None and by_logic:
        found: Span | None = relation_around(finding.text, named)
    else:
        found = find_fault(finding.text, [e.quote for e in finding.evidence], known())
        if named is not None:
            apart = found is None or found.end <= named.start or named.end <= found.start
            found = named if found is None or apart else Span(min(found.start, named.start), max(found.end, named.end))
    return replace(finding, focus=Span(start + found.start, start + found.end)) if found else finding


def _known_stems(passages: Sequence[Passage]) -> frozenset[str]:
    from guardrail.check.fault import known_stems

    return known_stems(p.text for p in passages)


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
