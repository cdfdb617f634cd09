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

_Place = tuple[tuple[int, int], ...]
"""Year, month, day and minute, as far as they are given, each with its rank among these."""


def follows_from_range(claim: Facts, fact: Fact, nearest: Sequence[tuple[Facts, float]]) -> bool:
    """Whether the date or time lies in a range of the evidence, or outside of one where the claim says so.

    A range is read from the two dates or times of the kind that a sentence has; the claim has one of this kind.

    Args:
        claim: A claim.
        fact: A date or time of it that the evidence does not have.
        nearest: Sentences of the evidence, each with the share of the claim's content words in it.
    """
    place = _place(fact)
    if not place or sum(alike(fact, other) for other in claim.counted) != 1:
        return False
    outside = _OUTSIDE.search(claim.text) is not None
    found = ([_place(o) for o in s.counted if alike(fact, o)] for s, cover in nearest if cover >= _COVER)
    return any(
        _is_within(place, *ends) is not outside
        for ends in found
        if len(ends) == 2 and {_shape(end) for end in ends} == {_shape(place)}
    )


def _is_within(place: _Place, first: _Place, last: _Place) -> bool:
    with_year = place[0][0] == 0
    if first <= last or with_year:
        return min(first, last) <= place <= max(first, last)
    return place >= first or place <= last  # November to February, 22:00 to 6:00


def _shape(place: _Place) -> tuple[int, ...]:
    return tuple(rank for rank, _ in place)


def _place(fact: Fact) -> _Place:
    """Where a date or time lies; empty for days of the week, which are ranges themselves, and for what is neither."""
    value = fact.value
    if not isinstance(value, Moment) or value.weekdays:
        return ()
    parts = (value.years and value.years[0], value.month, value.day, value.minute)
    return tuple((rank, part) for rank, part in enumerate(parts) if part is not None)
