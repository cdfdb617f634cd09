"""Dates and lengths of time that a judge works out: "1 June 2025 + 18 months = 30 November 2026".

They count where the calendar or the clock agrees, from dates, times and numbers that documents or question have.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import product
from typing import NamedTuple

from guardrail.engines.llm.workings import numbers_in
from guardrail.text.facts import extract
from guardrail.text.facts.arithmetic import near
from guardrail.text.facts.calendar import MONTH, SOME_YEAR, STEPS, coincidence_of_moment, moved
from guardrail.text.facts.dates import MONTH_NAMES
from guardrail.text.facts.fact import Amount, Moment
from guardrail.text.facts.small_words import in_digits
from guardrail.text.facts.units import DAY

_STEP = re.compile(r"(?P<start>.*?\d.*?)\s*(?P<sign>[-+−–])\s*(?P<length>[^-+−–]+)")
_MARK = re.compile(r"\s*[(（][^()（）]{1,40}[)）]")
"""What a judge puts in brackets beside a date: "15 March 2024 (question) + 1 year"."""
_NEXT_STEP = re.compile(r"\s[-+−–]\s")
_DAYS = re.compile(r"(?P<start>\d{1,2})\s*(?P<sign>[-+−–])\s*(?P<length>\d{1,2})")
_WEEKDAY_STEP = re.compile(
    r"(?P<start>[^-+−–]+)\s*(?P<sign>[-+−–])\s*(?P<days>\d{1,3})(?:\s*days?|天|日)?", re.IGNORECASE
)
_LONGEST_MONTH = 31
_COUNTED_ON = 2
_COINCIDENCE = 0.1
_WORKING = re.compile(
    r"\b(?:working|business|week)[\s-]?days?\b|\bWerktag|\bArbeitstag|hábil|ouvr|工作日", re.IGNORECASE
)
_FROM_TO = re.compile(
    r"(?:from\s+|between\s+)?(?P<one>.+?)\s*(?:\b(?:to|until|till|through|and|bis)\b|→|[-–—]|至|到)\s*(?P<two>.+)",
    re.IGNORECASE,
)
_JAPANESE_DAYS = re.compile(r"(?P<days>\d{1,3})日(?:間|以内)?")
_WORD = re.compile(r"[^\W\d_]+")
_PART_OF_MONTH = re.compile(
    r"\d\s?(?:days?|jours?|Tagen?|días?|天|日)\s?(?:\b(?:of|out\sof|sur|von|de|entre)\b|/)\s?(?:the\s)?$", re.IGNORECASE
)
"""Before the number of all days of a month: "9 jours sur 31"."""
_WAY = re.compile(
    r"(?P<back>\b(?:before|prior\sto|vor|antes|avant)\b|前)"
    r"|\b(?:after|from|since|nach|ab|seit|después|desde|tras|après|depuis)\b|[后起]",
    re.IGNORECASE,
)


def gives_day(
    value: str,
    workings: Iterable[tuple[str, str]],
    numbers: set[float],
    moments: Iterable[Moment],
    lengths: Collection[float] = frozenset(),
) -> bool:
    """Whether one of the workings gives a date.

    Args:
        value: The date as the claim has it.
        workings: What stands on both sides of each "="; a later one may start from the result of an earlier one.
        numbers: Those of the documents and the question.
        moments: Dates and times of the documents and the question.
        lengths: Lengths of time of the documents and the question, in seconds: "28 days" for "four weeks".
    """
    wanted, known = _day_of(value), [moment for moment in moments if moment.month]
    if wanted is None:
        return False
    known += [moment._replace(day=None) for moment in known if moment.day and moment.years]
    single = list(_single_steps(workings))
    stated_by_judge = [(left, right) for left, right, inner in single if not inner]
    steps = [(*each, inner) for left, right, inner in single for each in _steps([(left, right)])]
    steps += [(*each, False) for each in _steps_of_days(stated_by_judge, known, wanted)]
    for step, stated, inner in steps:
        told = (step.length.raw in numbers and not step.as_length) or any(
            near(step.length.base, each, 1e-3) for each in lengths
        )
        if not told or not any(_agree(step.start, each) for each in known):
            continue
        if (stated.day and not step.start.day) or not any(_is(stated, end) for end in _ends(step)):
            continue
        known.append(stated)
        if not inner and _agree(wanted, stated):
            return True
    return False


def ends_a_term(
    value: str, workings: Iterable[tuple[str, str]], moments: Sequence[Moment], lengths: Sequence[Amount]
) -> bool:
    """Whether a date lies a stated length of time from another: "27 April" for 30 days from 28 March.

    The judge must come to its day in some way ("31 - 28 = 3", "30 - 3 = 27"). Not where other dates near it would
    follow as easily (guardrail.text.facts.calendar).
    """
    wanted = _day_of(value)
    forms = {f"{wanted.day}", f"{wanted.month}/{wanted.day}", f"{wanted.day}/{wanted.month}"} if wanted else set()
    if wanted is None or not any(right.strip() in forms for _, right in workings):
        return False
    return _lies_a_term_off(wanted, moments, lengths, (1, -1))


def lies_a_term_later(wanted: Moment, moments: Sequence[Moment], lengths: Sequence[Amount]) -> bool:
    """Whether a date lies a stated length of time behind another, and few others near it would as well."""
    return bool(wanted.month and wanted.day) and _lies_a_term_off(wanted, moments, lengths, (1,))


def _lies_a_term_off(
    wanted: Moment, moments: Sequence[Moment], lengths: Sequence[Amount], signs: tuple[int, ...]
) -> bool:
    known = [moment for moment in moments if moment.month and moment.day]
    terms = [length for length in lengths if length.unit == "s" and length.raw and length.raw == int(length.raw)]
    if coincidence_of_moment(wanted, known, terms) > _COINCIDENCE:
        return False
    steps = (_Step(*each) for each in product(known, terms, signs))
    return any(_is(wanted, end) for step in steps for end in _ends(step))


class _Step(NamedTuple):
    """From a date, so long forwards (1) or back (-1)."""

    start: Moment
    length: Amount
    sign: int
    as_length: bool = False
    """Written as a day of the month may be, too ("15日"): then the texts must have it as a length."""


def _single_steps(workings: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, bool]]:
    """Workings without what stands in brackets, either side first, those of several steps one step at a time.

    The dates between the steps are computed here; the third value says that a date is one of these, not the judge's.
    """
    for one, other in workings:
        sides = _MARK.sub("", one).strip(), _MARK.sub("", other).strip()
        for sum_, right in (sides, sides[::-1]):
            left = sum_
            while len(cuts := [cut.start() for cut in _NEXT_STEP.finditer(left)]) > 1:
                first = left[: cuts[1]]
                step = _signed_step(first)
                ends = _ends(step) if step else []
                if step is None or not ends or not step.start.day:
                    break
                yield first, ends[0].isoformat(), True
                left = ends[0].isoformat() + left[cuts[1] :]
            yield left, right, False


def _steps(workings: Iterable[tuple[str, str]]) -> Iterator[tuple[_Step, Moment]]:
    """Each working with the date that it states: "1 June 2025 + 18 months", "three months after 1 February 2026"."""
    for left, right in workings:
        step, stated = _signed_step(left.strip()), _day_of(right)
        if step and stated:
            yield step, stated
            continue
        for told, result in ((left, right), (right, left)):
            start, length, stated = _day_of(told), _step_of(told), _day_of(result)
            if start and length and stated and (way := _WAY.search(told)):
                yield _Step(start, length, -1 if way["back"] else 1), stated
                break


def _signed_step(text: str) -> _Step | None:
    """The step of "1 June 2025 + 18 months"."""
    signed = _STEP.fullmatch(text)
    start, length = (_day_of(signed["start"]), _step_of(signed["length"])) if signed else (None, None)
    if signed is None or start is None or length is None:
        return None
    as_length = _JAPANESE_DAYS.fullmatch(signed["length"].strip()) is not None
    return _Step(start, length, 1 if signed["sign"] == "+" else -1, as_length)


def _steps_of_days(
    workings: Iterable[tuple[str, str]], known: Sequence[Moment], wanted: Moment
) -> Iterator[tuple[_Step, Moment]]:
    """Workings by the numbers of days alone, within a month: "3 + 28 = 31" from 3 March; one may go on from another."""
    starts = [moment for moment in known if moment.month == wanted.month]
    for left, right in workings:
        signed, end = _DAYS.fullmatch(left.strip()), right.strip()
        if signed is None or not int(signed["length"]) or not (end.isdecimal() and 1 <= int(end) <= _LONGEST_MONTH):
            continue
        length = Amount(raw=float(signed["length"]), base=float(signed["length"]) * DAY, unit="s")
        sign = 1 if signed["sign"] == "+" else -1
        if int(signed["start"]) + sign * int(signed["length"]) != int(end):
            continue
        stated = wanted if int(end) == wanted.day else wanted._replace(day=int(end))
        steps = [_Step(start, length, sign) for start in starts if start.day == int(signed["start"])]
        yield from ((step, stated) for step in steps)
        if steps:
            starts.append(stated)


def _step_of(text: str) -> Amount | None:
    """Whole days, weeks, months or years; working days need to know the holidays."""
    if _WORKING.search(text):
        return None
    if days := _JAPANESE_DAYS.fullmatch(text.strip()):  # "7月28日 + 15日": no day of a month
        text = f"{days['days']} days"
    found = [fact.value for fact in extract(in_digits(text)).counted if isinstance(fact.value, Amount)]
    step = found[0] if len(found) == 1 else None
    whole = step is not None and step.unit == "s" and 0 < step.raw < 10_000 and step.raw == int(step.raw)
    return step if step is not None and whole and _unit_of(step) in STEPS else None


def _unit_of(length: Amount) -> float:
    """Seconds of the unit in which a length is counted."""
    return round(length.base / length.raw, 3)


def gives_span(value: str, workings: Iterable[tuple[str, str]], moments: Sequence[Moment]) -> bool:
    """Whether one of the workings gives a length of time: "17:30 to 20:40 = 3 hours 10 minutes".

    Args:
        value: The length as the claim has it.
        workings: What stands on both sides of each "=".
        moments: Dates and times of the documents and the question: both ends must be among them.
    """
    wanted = length_of(value)
    if wanted is None:
        return False
    for left, right in workings:
        ends, stated = _FROM_TO.fullmatch(left.strip()), length_of(right)
        one, two = (_moment_of(ends[name]) for name in ("one", "two")) if ends else (None, None)
        if one is None or two is None or stated is None or not near(stated, wanted, 1e-6):
            continue
        known = all(any(names_moment(moment, end) for moment in moments) for end in (one, two))
        if known and any(near(length, wanted, 1e-3) for length in _lengths(one, two)):
            return True
    return False


def gives_days(value: str, workings: Iterable[tuple[str, str]], moments: Iterable[Moment]) -> bool:
    """Whether workings by the numbers of days alone lead from one month into the next.

    "31 - 20 = 11" and "11 + 2 = 13": 13 days from 20 March to 2 April.

    Args:
        value: The length as the claim has it.
        workings: What stands on both sides of each "=", in order.
        moments: Dates and times of the documents and the question: both ends must be among them.
    """
    wanted, dated = length_of(value), [moment for moment in moments if moment.month and moment.day]
    left_over: list[tuple[int, Moment]] = []  # days to the end of a month, and the date in it
    for left, right in workings if wanted else ():
        step, result = _DAYS.fullmatch(left.strip()), right.strip().rstrip("天日")
        if step is None or not result.isdecimal():
            continue
        one, two, stated = int(step["start"]), int(step["length"]), int(result)
        if step["sign"] != "+":
            starts = (day for day in dated if day.day == two and one in _lengths_of_month(day.month or 0, day.years))
            left_over += [(stated, day) for day in starts if one - two == stated]
            continue
        over = any(
            (rest, end.day) in ((one, two), (two, one)) and _months(start, end) == 1
            for rest, start in left_over
            for end in dated
        )
        if over and one + two == stated and near(stated * DAY, wanted or 0.0, 1e-6):
            return True
    return False


def is_month_length(value: str, said: str, workings: Iterable[tuple[str, str]]) -> bool:
    """Whether a number is that of all days of a month: "9 jours sur 31", "31 jours" where the judge shows "juillet".

    A number with no unit must stand behind some days of the month, which the sentence or the workings name.

    Args:
        value: As the claim has it.
        said: The sentence of the answer.
        workings: What stands on both sides of each "=".
    """
    found = [fact.value for fact in extract(value).facts]
    amount = found[0] if len(found) == 1 else None
    if not isinstance(amount, Amount) or not 28 <= amount.raw <= 31:
        return False
    if amount.unit == "s" and near(amount.base, amount.raw * DAY, 1e-6):
        return any(
            numbers_in(other) == {amount.raw} and amount.raw in days_of_months([one])
            for pair in workings
            for one, other in (pair, pair[::-1])
        )
    at = re.search(rf"(?<!\d){re.escape(value)}(?!\d)", said)
    part = at is not None and _PART_OF_MONTH.search(said, 0, at.start()) is not None
    return (
        part and not amount.unit and amount.raw in days_of_months([said, *(side for pair in workings for side in pair)])
    )


def days_of_months(texts: Iterable[str]) -> set[float]:
    """How many days the months have that the texts name."""
    months = {MONTH_NAMES[word] for text in texts for word in _WORD.findall(text) if word in MONTH_NAMES}
    dated = (fact.value for text in texts for fact in extract(text).facts if isinstance(fact.value, Moment))
    months |= {moment.month for moment in dated if moment.month}
    return {float(days) for month in months for days in _lengths_of_month(month, None)}


def _lengths_of_month(month: int, years: tuple[int, int] | None) -> set[int]:
    """How many days a month may have."""
    return {monthrange(year, month)[1] for year in ((years[0],) if years else (2024, 2025)) if 1 <= month <= 12}


def gives_weekday(
    value: str, workings: Iterable[tuple[str, str]], numbers: set[float], moments: Sequence[Moment]
) -> bool:
    """Whether one of the workings gives a day of the week: "Thursday - 3 days = Monday", "1 May 2026 = Friday".

    Args:
        value: The day as the claim has it.
        workings: What stands on both sides of each "=".
        numbers: Those of the documents and the question.
        moments: Dates and times of the documents and the question.
    """
    wanted = _weekday_of(value)
    known = {moment.weekdays[0] for moment in moments if moment.weekdays and not moment.month}
    for left, right in workings if wanted is not None else ():
        step = _WEEKDAY_STEP.fullmatch(left.strip())
        start = _weekday_of(step["start"]) if step else None
        if step and start in known and start is not None and wanted == _weekday_of(right):
            days = int(step["days"]) * (1 if step["sign"] == "+" else -1)
            if abs(days) in numbers and (start + days) % 7 == wanted:
                return True
        for one, other in ((left, right), (right, left)):
            day = _day_of(one)
            if day and any(names_moment(moment, day) for moment in moments) and _weekday_of(other) == wanted:
                falls = moved(day, 0, 0) if day.years and day.day else None
                if falls is not None and falls.weekday() == wanted:
                    return True
    return False


def _weekday_of(text: str) -> int | None:
    """The one day of the week that a text has (Monday = 0), beside numbers."""
    found = moments_in(text)
    days = [moment.weekdays for moment in found]
    return days[0][0] if len(days) == 1 and days[0] and days[0][0] == days[0][1] else None


def length_of(text: str) -> float | None:
    """Seconds; the parts of a length add up."""
    found = [fact.value for fact in extract(text).facts]
    amounts = [value for value in found if isinstance(value, Amount) and value.unit == "s"]
    return sum(amount.base for amount in amounts) if amounts and len(amounts) == len(found) else None


def _moment_of(text: str) -> Moment | None:
    """The one date or time of a text; "May" alone is no date elsewhere, but is one as an end of a span."""
    for form in (text, f"{text} {SOME_YEAR}"):
        found = moments_in(form)
        if len(found) == 1:
            return found[0] if form == text else found[0]._replace(years=None)
    return None


def names_moment(known: Moment, end: Moment) -> bool:
    """Whether a date or time that is known has all that an end of a span says."""
    pairs = zip(known._replace(sure=False, swap=False), end._replace(sure=False, swap=False), strict=True)
    return all(said is None or said == has for has, said in pairs)


def _lengths(one: Moment, two: Moment) -> Iterator[float]:
    """Seconds between two moments, and with both ends counted."""
    if one.minute is not None and two.minute is not None:
        yield (two.minute - one.minute) % 1440 * 60.0
    elif one.month and two.month and one.day and two.day:
        first, last = ((moment.years or (SOME_YEAR, 0))[0] for moment in (one, two))
        try:
            apart = (date(last, two.month, two.day) - date(first, one.month, one.day)).days
        except ValueError:
            return
        known = one.years and two.years
        yield from (((apart if known else apart % 365) + counted) * DAY for counted in (0, 1))
        if one.day == two.day:
            yield _months(one, two) * MONTH
    elif one.month and two.month:
        yield from ((_months(one, two) + counted) * MONTH for counted in (0, 1))
    elif one.weekdays and two.weekdays:
        yield from (((two.weekdays[0] - one.weekdays[0]) % 7 + counted) * DAY for counted in (0, 1))


def moments_in(text: str) -> list[Moment]:
    """Dates and times of a text."""
    return [fact.value for fact in extract(text).facts if isinstance(fact.value, Moment)]


def _day_of(text: str) -> Moment | None:
    found = moments_in(text)
    whole = [moment for moment in found if moment.month]
    return whole[0] if len(whole) == 1 else None


def _ends(step: _Step) -> list[date]:
    """The day so far from another, and the one before: a term of a month from the 1st ends on the last.

    One day or two are counted on, no term. From a month only months and years lead to another.
    """
    days, months = (step.sign * int(step.length.raw) * part for part in STEPS.get(_unit_of(step.length), (0, 0)))
    end = moved(step.start, days, months) if days or months else None
    if end is None or end <= date.min:
        return []
    if not step.start.day:
        return [] if days else [end]
    return [end, end - timedelta(days=1)] if months or abs(days) > _COUNTED_ON else [end]


def _months(one: Moment, two: Moment) -> int:
    months = (two.month or 1) - (one.month or 1)
    return months + 12 * (two.years[0] - one.years[0]) if one.years and two.years else months % 12


def _is(stated: Moment, end: date) -> bool:
    same_year = stated.years is None or stated.years == (end.year, end.year)
    return same_year and stated.month == end.month and stated.day in (None, end.day)


def _agree(wanted: Moment, stated: Moment) -> bool:
    same_year = wanted.years is None or stated.years is None or wanted.years == stated.years
    return same_year and (wanted.month, wanted.day) == (stated.month, stated.day)
