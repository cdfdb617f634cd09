"""A date or time within a stretch of time: "in 1969" of a mayor from 1917 to 1987; or outside: "closed in December"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.text.facts.alignment import alike
from guardrail.text.facts.fact import Fact, Facts, Moment

_OUTSIDE = re.compile(
    r"\b(?:not|no|never|cannot|neither|too|before|after|closed|shut|ended|over|expired|late|early|refused|rejected"
    r"|outside)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words with which a claim speaks of what lies outside."""

_COVER = 0.3
"""Share of the claim's content words that the sentence with the range must have."""

_Place = tuple[int | None, ...]


def follows_from_range(claim: Facts, fact: Fact, nearest: Sequence[tuple[Facts, float]]) -> bool:
    """Whether the date or time lies in a range of the evidence, or outside of one where the claim says so.

    A range is read from the two dates or times of the kind that a sentence has; the claim has one of this kind.

    Args:
        claim: A claim.
        fact: A date or time of it that the evidence does not have.
        nearest: Sentences of the evidence, each with the share of the claim's content words in it.
    """
    place = _place(fact)
    if place is None or sum(alike(fact, other) for other in claim.counted) != 1:
        return False
    outside = _OUTSIDE.search(claim.text) is not None
    ranges = (_ends(fact, sentence) for sentence, cover in nearest if cover >= _COVER)
    return any(_is_within(place, *ends) is not outside for ends in ranges if ends is not None)


def _ends(fact: Fact, sentence: Facts) -> tuple[_Place, _Place] | None:
    found = [_place(other) for other in sentence.counted if alike(fact, other)]
    if len(found) != 2 or found[0] is None or found[1] is None:
        return None
    shapes = {tuple(part is None for part in place) for place in (found[0], found[1], _place(fact) or ())}
    return (found[0], found[1]) if len(shapes) == 1 else None


def _is_within(place: _Place, first: _Place, last: _Place) -> bool:
    at, start, end = (tuple(part for part in each if part is not None) for each in (place, first, last))
    if start <= end or place[0] is not None:
        return min(start, end) <= at <= max(start, end)
    return at >= start or at <= end  # November to February, 22:00 to 6:00


def _place(fact: Fact) -> _Place | None:
    """Year, month, day and minute, as far as they are given; None for days of the week, which are ranges themselves."""
    value = fact.value
    if not isinstance(value, Moment) or value.weekdays:
        return None
    return (value.years and value.years[0], value.month, value.day, value.minute)
