"""Dates that a judge works out: "1 June 2025 + 18 months = 30 November 2026".

They count where the calendar agrees, from a date and a number that the documents or the question have.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from datetime import date, timedelta

from guardrail.text.facts import extract
from guardrail.text.facts.fact import Moment

Day = tuple[int, int]
"""Month and day."""

_STEP = re.compile(
    r"(?P<start>.*?\d.*?)\s*(?P<sign>[-+−–])\s*(?P<count>\d{1,4})\s*(?P<unit>day|week|month|year)s?", re.IGNORECASE
)
_SOME_YEAR = 2025
"""Taken where a date has none: one without a 29 February."""


def days_in(moments: Iterable[Moment]) -> set[Day]:
    """The days that dates name."""
    return {(moment.month, moment.day) for moment in moments if moment.month and moment.day}


def gives_day(value: str, workings: Iterable[tuple[str, str]], numbers: set[float], days: set[Day]) -> bool:
    """Whether one of the workings gives a date.

    Args:
        value: The date as the claim has it.
        workings: What stands on both sides of each "="; a later one may start from the result of an earlier one.
        numbers: Those of the documents and the question.
        days: Those of the documents and the question.
    """
    wanted, known = _day_of(value), set(days)
    if wanted is None:
        return False
    for left, right in workings:
        step, stated = _STEP.fullmatch(left.strip()), _day_of(right)
        start = _day_of(step["start"]) if step else None
        if step is None or start is None or stated is None or float(step["count"]) not in numbers:
            continue
        if (start.month, start.day) not in known:
            continue
        count = int(step["count"]) * (1 if step["sign"] == "+" else -1)
        if not any(_is(stated, end) for end in _ends(start, count, step["unit"].lower())):
            continue
        known |= days_in([stated])
        if _agree(wanted, stated):
            return True
    return False


def _day_of(text: str) -> Moment | None:
    found = [fact.value for fact in extract(text).facts if isinstance(fact.value, Moment)]
    whole = [moment for moment in found if moment.month and moment.day]
    return whole[0] if len(whole) == 1 else None


def _ends(start: Moment, count: int, unit: str) -> list[date]:
    """The day so far from another, and the one before: a term of a month from the 1st ends on the last."""
    year = start.years[0] if start.years else _SOME_YEAR
    try:
        first = date(year, start.month or 1, start.day or 1)
        if unit in ("day", "week"):
            end = first + timedelta(days=count * (7 if unit == "week" else 1))
        else:
            months = first.year * 12 + first.month - 1 + count * (12 if unit == "year" else 1)
            end = date(months // 12, months % 12 + 1, min(first.day, monthrange(months // 12, months % 12 + 1)[1]))
        return [end, end - timedelta(days=1)]
    except (OverflowError, ValueError):
        return []


def _is(stated: Moment, end: date) -> bool:
    same_year = stated.years is None or stated.years == (end.year, end.year)
    return same_year and (stated.month, stated.day) == (end.month, end.day)


def _agree(wanted: Moment, stated: Moment) -> bool:
    same_year = wanted.years is None or stated.years is None or wanted.years == stated.years
    return same_year and (wanted.month, wanted.day) == (stated.month, stated.day)
