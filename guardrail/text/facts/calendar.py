"""Whether a date or a time of day of the claim can have been worked out, and how easily any other could be."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import product

from guardrail.text.facts.fact import Amount, Moment
from guardrail.text.facts.units import DAY, YEAR

SOME_YEAR = 2025
"""Taken where a date has none: one without a 29 February."""

MONTH = YEAR / 12
STEPS = {DAY: (1, 0), 7 * DAY: (7, 0), MONTH: (0, 1), YEAR: (0, 12)}
"""Days and months that a date moves by, for each unit."""

_MOST = 16
"""Dates, and lengths of time, to compute with at most."""

_AROUND = 30
"""Days before and after the claim's that are tried for comparison."""

_HOURS = 3
"""Hours before and after the claim's time that are tried, in steps as full as it is: hours, halves, quarters ..."""


def moved(start: Moment, days: int, months: int) -> date | None:
    """The day so many months and then days from another; None where there is no such day."""
    year = start.years[0] if start.years else SOME_YEAR
    try:
        first = date(year, start.month or 1, start.day or 1)
        total = first.year * 12 + first.month - 1 + months
        last = monthrange(total // 12, total % 12 + 1)[1]
        return date(total // 12, total % 12 + 1, min(first.day, last)) + timedelta(days=days)
    except (OverflowError, ValueError):
        return None


def coincidence_of_moment(wanted: Moment, moments: Iterable[Moment], lengths: Iterable[Amount]) -> float:
    """How likely it is that a date or time follows from others by accident: 0..1, and 1 where it does not follow.

    A date follows where it lies a stated length of time from another, with the day before and after (a term may count
    its first day) and the end of the month; a time of day where it lies a stated length from another. The chance is
    the share of others that would follow as well, the claim's own counted among them.

    Args:
        wanted: The claim's.
        moments: Dates and times of passages, question and claim, without this one.
        lengths: Lengths of time that they state.
    """
    spans = list(dict.fromkeys(a for a in lengths if a.unit == "s" and a.base > 0 and a.raw == int(a.raw)))[:_MOST]
    known = [moment for moment in dict.fromkeys(moments) if moment != wanted]
    if wanted.minute is not None:
        return _of_time(wanted.minute, known, spans)
    if not wanted.month:
        return 1.0
    starts = [moment for moment in known if moment.month and moment.day][:_MOST]
    ends = {day for start, span in product(starts, spans) for day in _ends(start, span)}
    if wanted.day is None:
        here = any(day.month == wanted.month and _is_in(day, wanted) for day in ends)
        return len({(day.year, day.month) for day in ends}) / 24 if here else 1.0
    if not any((day.month, day.day) == (wanted.month, wanted.day) and _is_in(day, wanted) for day in ends):
        return 1.0
    reached = {(day.month, day.day) for day in ends}
    middle = date(SOME_YEAR, wanted.month, min(wanted.day, monthrange(SOME_YEAR, wanted.month)[1]))
    around = [middle + timedelta(days=turn) for turn in range(-_AROUND, _AROUND + 1) if turn]
    return (1 + sum((day.month, day.day) in reached for day in around)) / (1 + len(around))


def _is_in(day: date, wanted: Moment) -> bool:
    return wanted.years is None or wanted.years[0] <= day.year <= wanted.years[1]


def _ends(start: Moment, span: Amount) -> Iterator[date]:
    """The day a length before or after another, the days beside it, and the end of its month."""
    step = STEPS.get(round(span.base / span.raw, 3))
    if step is None:
        return
    days, months = (part * int(span.raw) for part in step)
    for sign in (1, -1):
        day = moved(start, sign * days, sign * months)
        if day is not None and date.min < day < date.max:
            yield from (day, day - timedelta(days=1), day + timedelta(days=1))
            yield day.replace(day=monthrange(day.year, day.month)[1])


def _of_time(minute: int, known: Sequence[Moment], spans: Sequence[Amount]) -> float:
    starts = {moment.minute for moment in known if moment.minute is not None} - {minute}
    lengths = {round(span.base / 60) for span in spans if span.base < DAY}
    reached = {(start + sign * length) % 720 for start in starts for length in lengths for sign in (1, -1)}
    if minute % 720 not in reached:
        return 1.0
    step = next(size for size in (60, 30, 15, 5, 1) if minute % size == 0)
    turns = _HOURS * 60 // step
    around = [(minute + turn * step) % 720 for turn in range(-turns, turns + 1) if turn]
    return (1 + sum(time in reached for time in around)) / (1 + len(around))
