"""Times of day and lengths in hours that a judge works out: "17:25 - 50 minutes = 16:35", "24:00 - 20:00 = 4:00"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from guardrail.engines.llm.calendar_sums import length_of, moments_in
from guardrail.text.facts.arithmetic import near
from guardrail.text.facts.fact import Moment

_CLOCK_STEP = re.compile(
    r"(?P<start>\d{1,2}(?:[:.]|\s?h\s?)\d{2}(?:\s?[ap]\.?m\.?|\sUhr)?)\s*(?P<sign>[-+−–])\s*"
    r"(?:(?P<hours>\d{1,2}):(?P<minutes>\d{2})|(?P<length>[^-+−–:]{1,40}))",
    re.IGNORECASE,
)
_SPACED_CLOCK = re.compile(r"(?P<hours>[01]?\d|2[0-3])\sh\s(?P<minutes>[0-5]\d)", re.IGNORECASE)
_HOUR_STEP = re.compile(r"(?P<start>\d{1,2}(?:[.,]\d{1,2})?)\s*(?P<sign>[-+−–])\s*(?P<length>\d{1,2}(?:[.,]\d{1,2})?)")
_HOURS = re.compile(r"\d{1,2}(?:[.,]\d{1,2})?")
_CLOCK_SUM = re.compile(r"\d{1,3}:\d{2}(?:\s*[-+−–]\s*\d{1,3}:\d{2})+")
_CLOCK_PART = re.compile(r"(?P<sign>[-+−–])?\s*(?P<hours>\d{1,3}):(?P<minutes>\d{2})")


def gives_time(
    value: str,
    workings: Iterable[tuple[str, str]],
    numbers: set[float],
    moments: Sequence[Moment],
    lengths: Collection[float] = frozenset(),
) -> bool:
    """Whether one of the workings gives a time of day: "17:25 - 50 minutes = 16:35", "17:25 - 0:50 = 16:35".

    Or in hours alone, "19 - 1 = 18", from a time that is known by a length that is known.

    Args:
        value: The time as the claim has it.
        workings: What stands on both sides of each "=".
        numbers: Those of the documents and the question.
        moments: Dates and times of the documents and the question.
        lengths: Lengths of time of the documents and the question, in seconds.
    """
    wanted = _minute_of(value)
    known = {moment.minute for moment in moments if moment.minute is not None}
    for left, right in workings:
        if wanted is not None and wanted in _by_hours(left, right, known, lengths):
            return True
        step = _CLOCK_STEP.fullmatch(left.strip())
        start, end = (_minute_of(step["start"]), _minute_of(right)) if step else (None, None)
        if step is None or start is None or end is None:
            continue
        if (start not in known or end != wanted) and (end not in known or start != wanted):  # it may be shown backwards
            continue
        bare = _HOURS.fullmatch((step["length"] or "").strip())  # "19:30 + 6": of hours that are known
        text = f"{step['length']} hours" if bare else step["length"]
        seconds = length_of(text or f"{int(step['hours'])} hours {int(step['minutes'])} minutes") or 0.0
        hours, minutes = divmod(seconds / 60, 60)
        told = {seconds / 60, seconds / 3600} & numbers or {part for part in (hours, minutes) if part} <= numbers
        if bare:
            told = any(near(seconds, length, 1e-6) for length in lengths)
        sign = 1 if step["sign"] == "+" else -1
        if seconds and told and (start + sign * round(seconds / 60) - end) % 1440 == 0:
            return True
    return False


def _by_hours(left: str, right: str, known: Collection[int], lengths: Collection[float]) -> Iterator[int]:
    """The minute of the day that a working in hours gives, from a known time by a known length."""
    step, stated = _HOUR_STEP.fullmatch(left.strip()), _HOURS.fullmatch(right.strip())
    if step is None or stated is None:
        return
    start, length, end = (
        round(float(each.replace(",", ".")) * 60) for each in (step["start"], step["length"], stated[0])
    )
    sums = start + (length if step["sign"] == "+" else -length) == end
    if sums and start in known and length > 0 and any(near(length * 60.0, each, 1e-6) for each in lengths):
        yield end % 1440


def gives_hours(value: str, workings: Iterable[tuple[str, str]], moments: Sequence[Moment]) -> bool:
    """Whether workings in hours and minutes give a length of time: "24:00 - 20:00 = 4:00", "4:00 + 14:20 = 18:20".

    Args:
        value: The length as the claim has it.
        workings: What stands on both sides of each "="; a later one may start from the result of an earlier one.
        moments: Dates and times of the documents and the question: each part is one of their times, or whole days.
    """
    wanted = length_of(value)
    known = {moment.minute for moment in moments if moment.minute is not None}
    known |= {24 * 60 * days for days in range(1, 8)}
    for left, right in workings if wanted else ():
        stated = _CLOCK_PART.fullmatch(right.strip())
        if stated is None or not _CLOCK_SUM.fullmatch(left.strip()):
            continue
        parts = [(each["sign"] or "+", _minutes(each)) for each in _CLOCK_PART.finditer(left)]
        total = sum(minutes if sign == "+" else -minutes for sign, minutes in parts)
        if total != _minutes(stated) or not {minutes for _, minutes in parts} <= known:
            continue
        known.add(total)
        if wanted is not None and near(total * 60.0, wanted, 1e-6):
            return True
    return False


def _minutes(clock: re.Match[str]) -> int:
    return 60 * int(clock["hours"]) + int(clock["minutes"])


def _minute_of(text: str) -> int | None:
    if spaced := _SPACED_CLOCK.fullmatch(text.strip()):  # alone it might be a length of time
        return 60 * int(spaced["hours"]) + int(spaced["minutes"])
    found = [moment.minute for moment in moments_in(text)]
    return found[0] if len(found) == 1 else None
