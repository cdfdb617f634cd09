"""At least, at most, up to: a number of the claim against a bound of the evidence, both as intervals."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from guardrail.text.facts.fact import Amount, Bound, Fact, Facts, Mismatch, mismatch

_SIGNAL = 0.9
"""Weight of such a mismatch: all nine training claims with one are wrong, too few to let it decide alone."""

_SHARED = 3
"""Content words that both must have."""

_TURNING = frozenset(
    """no not none never neither nor without except only but unless if when than until before after above below other
    others another rest cannot total together altogether each every per both twice half more less fewer further
    additional extra instead difference still already free""".split()
)
"""Words that, said by one side alone, may make a number beyond the bound right."""


_HEDGES = frozenset("at least most up to over under above below more less fewer than within".split())


def bound_clashes(claim: Facts, sentences: Sequence[Facts]) -> list[Mismatch]:
    """Numbers of the claim that lie beyond a bound which a sentence sets in the same words, and turned-round bounds.

    "Up to twelve bottles" is broken by "may order 15 bottles", and "at least 5" by "at most 5". Numbers within the
    bound are instances of it, and bounds of the same direction may follow from one another: both are left alone.

    Args:
        claim: A claim.
        sentences: The sentences that may support it.
    """
    own = [f for f in claim.counted if isinstance(f.value, Amount) and not f.value.label]
    if len(own) != 1:
        return []
    (fact,) = own
    said = fact.value
    if not isinstance(said, Amount) or said.ordinal or said.bound is Bound.ABOUT:
        return []
    words = frozenset(w.stem for w in claim.words if w.stem and not fact.span.start <= w.start < fact.span.end)
    words -= _HEDGES
    if len(words) < _SHARED:
        return []
    found: list[Mismatch] = []
    for sentence in sentences:
        near = len(words - sentence.bag) <= len(words) // 3
        there = [f for f in sentence.counted if isinstance(f.value, Amount) and f.value.unit == said.unit]
        if near and any(_allows(f.value, said) for f in there if isinstance(f.value, Amount)):
            return []
        if words - sentence.bag or len(there) != 1 or not isinstance(there[0].value, Amount):
            continue
        if _breaks(said, there[0].value) and _same_place(claim, fact, sentence, there[0]):
            found.append(mismatch(fact, _SIGNAL, _hedged(sentence, there[0])))
    return found[:1]


def _allows(bound: Amount, said: Amount) -> bool:
    return not _breaks(said, bound) and bound.bound is not Bound.EXACT and bound.bound is said.bound


def _breaks(said: Amount, bound: Amount) -> bool:
    if said.bound is Bound.EXACT:
        over = bound.bound is Bound.OVER and said.base < bound.base
        return over or (bound.bound is Bound.UNDER and said.base > bound.base)
    return {said.bound, bound.bound} == {Bound.OVER, Bound.UNDER}


def _same_place(claim: Facts, fact: Fact, sentence: Facts, other: Fact) -> bool:
    """Whether the same content word stands before both, or behind both, and nothing turns one of the two round."""
    hedges = _hedge(claim, fact) | _hedge(sentence, other)
    if ((claim.forms ^ sentence.forms) & _TURNING) - hedges:
        return False
    before, after = _beside(claim, fact)
    there_before, there_after = _beside(sentence, other)
    return before == there_before and after == there_after


def _beside(facts: Facts, fact: Fact) -> tuple[str, str]:
    first = bisect_left(facts.words, fact.span.start, key=lambda w: w.start)
    last = bisect_left(facts.words, fact.span.end, key=lambda w: w.start)
    before = next(
        (w.stem for w in reversed(facts.words[max(0, first - 6) : first]) if w.stem and w.form not in _HEDGES), ""
    )
    return before, next((w.stem for w in facts.words[last : last + 4] if w.stem), "")


def _hedge(facts: Facts, fact: Fact) -> frozenset[str]:
    """The words of the bound, right before the number."""
    first = bisect_left(facts.words, fact.span.start, key=lambda w: w.start)
    return frozenset(w.form for w in facts.words[max(0, first - 3) : first]) & _HEDGES


def _hedged(facts: Facts, fact: Fact) -> str:
    """The number with the words of its bound."""
    first = bisect_left(facts.words, fact.span.start, key=lambda w: w.start)
    start = fact.span.start
    for word in reversed(facts.words[max(0, first - 3) : first]):
        if word.form not in _HEDGES:
            break
        start = word.start
    return facts.text[start : fact.span.end]
