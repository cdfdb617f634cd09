"""A value that the evidence has elsewhere, while the sentence that the claim repeats has another one in its place.

"Two of the four lines restart on 18 March", where they restart on 24 March and a delivery arrives on the 18th.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from guardrail.text.facts.alignment import alike, context
from guardrail.text.facts.coverage import Coverage
from guardrail.text.facts.fact import Amount, Fact, FactKind, Facts, Mismatch, Moment, mismatch
from guardrail.text.facts.support import is_same_value

_MARGIN = 0.15
"""Share of the claim by which the sentence with the other value must say more of it than those with the claim's own."""

_COVER = 0.5
"""Share of the claim that the sentence with the other value must have. Shares are of words by their rarity."""

_WEIGHTS = (0.4, 0.7, 0.9)
"""Weight by the words that both values have beside them: none, one, more (docs/decisions/displaced.md)."""

_MOST = 24
"""Values of the claim, and of a sentence, that are compared: each with each."""


class _Place(NamedTuple):
    """Where another value stands: the share of the claim that its sentence has, words in common beside it."""

    cover: float
    local: int
    surface: str


def judge_displaced(claim: Facts, sentences: Sequence[Facts]) -> Iterator[Mismatch]:
    """Values of the claim that the sentence nearest to it has not, but another one of their kind.

    Args:
        claim: The claim.
        sentences: Those of the evidence.
    """
    values = [fact for fact in claim.facts if _has_a_place(fact)]
    if not values or not claim.bag:
        return
    own = [each.value for each in claim.counted][: 2 * _MOST]
    covers = Coverage(claim.bag, sentences).shares
    others = [
        [
            other
            for other in sentence.counted[:_MOST]
            if not any(is_same_value(v, other.value) or is_same_value(other.value, v) for v in own)
        ]
        if cover > _COVER
        else []
        for sentence, cover in zip(sentences, covers, strict=True)
    ]
    for fact in values[:_MOST]:
        place = _place(claim, fact, sentences, covers, others)
        if place is not None:
            found = mismatch(fact, _WEIGHTS[min(place.local, 2)], place.surface)
            yield replace(found, kind=FactKind.NEIGHBOUR)


def _has_a_place(fact: Fact) -> bool:
    """Numbers and dates; weekdays and times of day stand in schedules, line by line (see ``schedules``)."""
    if isinstance(fact.value, Moment):
        return bool(fact.value.month or fact.value.years)
    return isinstance(fact.value, Amount) and not fact.value.label


def _place(
    claim: Facts, fact: Fact, sentences: Sequence[Facts], covers: Sequence[float], others: Sequence[Sequence[Fact]]
) -> _Place | None:
    """The best place of another value, if any; None too where the claim's own is nowhere (missing, see ``support``)."""
    holding = {n for n, s in enumerate(sentences) if any(is_same_value(fact.value, other.value) for other in s.counted)}
    if not holding:
        return None
    before, after = context(claim, fact.span)
    at_home = max(covers[n] for n in holding)
    places = []
    for number, sentence in enumerate(sentences):
        if number in holding or covers[number] <= at_home + _MARGIN:
            continue
        for other in others[number]:
            if not alike(fact, other):
                continue
            there_before, there_after = context(sentence, other.span)
            local = len(after & there_after) + len(before & there_before)
            places.append(_Place(covers[number], local, other.surface))
    return max(places, default=None)
