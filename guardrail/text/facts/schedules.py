"""Times that belong to days of the week ("Mon–Fri 6:00–23:00, Sat 9:00–18:00"), and claims that mix them up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from guardrail.text.facts.fact import Fact, Facts, Moment

MIXED_UP = 1.0
"""Weight of such a mismatch: none of the 67 true claims with days and times in the training and dev data has one."""


def times_instead(claim: Facts, fact: Fact, evidence: Iterable[Facts]) -> str | None:
    """The times that the evidence has for the days of the claim, where the claim's time is that of other days.

    Silent where the claim names no days or several, and where any sentence has the time with these days or with none.

    Args:
        claim: A claim.
        fact: A time of day in it.
        evidence: The sentences that may support it.
    """
    days = {named for f in _moments(claim) if (named := _weekdays(f)) is not None}
    if len(days) != 1:
        return None
    (own,) = days
    stated, elsewhere = "", False
    for those, times in (part for sentence in evidence for part in _schedule(sentence)):
        holds = any(_minute(time) == _minute(fact) for time in times)
        if own == those and not holds:
            stated = stated or "–".join(time.surface for time in times)
        elif holds and (those is None or not _apart(own, those)):
            return None
        elsewhere = elsewhere or holds
    return stated if elsewhere and stated else None


def _schedule(sentence: Facts) -> Iterator[tuple[tuple[int, int] | None, Sequence[Fact]]]:
    """Days with the times behind them; times without days where the sentence does not give each days first."""
    parts = [(days, list(group)) for days, group in groupby(_moments(sentence), key=_weekdays)]
    days_first = bool(parts) and parts[0][0] is not None and parts[-1][0] is None
    days = None
    for named, times in parts:
        if named is None:
            yield days, times
        elif days_first:
            days = named


def _moments(facts: Facts) -> list[Fact]:
    return [
        f for f in facts.counted if isinstance(f.value, Moment) and (f.value.weekdays or f.value.minute is not None)
    ]


def _weekdays(fact: Fact) -> tuple[int, int] | None:
    return fact.value.weekdays if isinstance(fact.value, Moment) else None


def _minute(fact: Fact) -> int | None:
    """The minute of a half day: "6 pm" and "6:00" may be the same."""
    return fact.value.minute % 720 if isinstance(fact.value, Moment) and fact.value.minute is not None else None


def _apart(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return not _each(one) & _each(other)


def _each(days: tuple[int, int]) -> set[int]:
    first, last = days
    return {day % 7 for day in range(first, first + (last - first) % 7 + 1)}
