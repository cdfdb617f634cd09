"""Whether claim and evidence say the same thing with opposite signs."""

from __future__ import annotations

from collections.abc import Iterable

from guardrail.text.facts.alignment import Evidence
from guardrail.text.facts.fact import Fact, FactKind, Facts, Mismatch, mismatch
from guardrail.text.facts.negation import RELATIONAL, implicit, opposed
from guardrail.types import Span


def judge_polarity(claim: Facts, evidence: Evidence) -> Iterable[Mismatch]:
    """Opposite signs of claim and the sentence nearest to it; sure only where the two share nearly all words."""
    if not evidence.nearest or any(s.text == claim.text for s in evidence.sentences):
        return
    sentence, cover = evidence.nearest[0]
    if cover < 0.5:
        return
    weight = min(0.7, 0.1 + 0.6 * cover)
    if implicit(claim.forms) != implicit(sentence.forms):
        weight -= 0.2
    cjk = bool(claim.bag) and min(claim.bag) >= "\u3400"
    for cue in claim.negated:
        turned = opposed(cue, sentence.negated, claim.negated)
        if turned is not None:
            shared = set(cue.scope) & set(turned.scope)
            doubt = 0.25 * (not shared and not cjk) + 0.15 * (cue.pair in RELATIONAL and cover < 0.85)
            yield _polarity(claim, cue.span.start, cue.span.end, turned.span.of(sentence.text), weight - doubt)
    negations = [c for c in claim.negated if not c.pair]
    theirs = [c for c in sentence.negated if not c.pair]
    if len(negations) == len(theirs) or abs(len(negations) - len(theirs)) > 1:
        return
    for cue in negations:
        if not theirs and cue.scope and cue.scope[0] in sentence.bag:
            yield _polarity(claim, cue.span.start, cue.span.end, None, weight - 0.1)
    if not negations:
        for cue in theirs:
            word = next((w for w in claim.words if cue.scope and w.stem == cue.scope[0]), None)
            if word is not None:
                yield _polarity(claim, word.start, word.end, cue.span.of(sentence.text), weight - 0.1)


def _polarity(claim: Facts, start: int, end: int, said: str | None, weight: float) -> Mismatch:
    fact = Fact(kind=FactKind.NEGATION, span=Span(start, end), value="", surface=claim.text[start:end])
    return mismatch(fact, max(0.1, weight), said or "not negated")
