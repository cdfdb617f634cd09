"""Dates that two looks of a judge agree on: they follow from a known date in a way that it names or shows in part.

A step that states a whole date is worked out in calendar_sums; what is right there is believed at first sight.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from guardrail.engines.llm.calendar_sums import lies_a_term_later, moments_in, names_moment
from guardrail.engines.llm.workings import both_ways
from guardrail.text.facts import extract
from guardrail.text.facts.calendar import moved
from guardrail.text.facts.fact import Amount, Moment

NEXT_DAY = re.compile(
    r"\b(?:day|evening|night|morning)s?\s(?:before|after)\b|\b(?:previous|next|following|preceding)\s(?:day|evening|night|morning)\b"
    r"|\b(?:eve\sof|tomorrow|yesterday|overnight)\b|[前次翌]一?[天日]|第二天"
    r"|\b(?:Tag|Abend|Morgen)\s(?:vor|nach|davor|danach)\b|\b(?:Vortag|Folgetag|Vorabend|(?-i:morgen)|gestern)\b"
    r"|\bdía\s(?:anterior|siguiente|antes|después)\b|\bvíspera\b|\b(?:veille|lendemain)\b|\bjour\s(?:précédent|suivant|d['’]avant|d['’]après)\b",
    re.IGNORECASE,
)
ONE_MONTH = re.compile(
    r"\b(?:(?:one|next|following)\s(?:month|year)|a\s(?:month|year)['’]s|(?:einen?m?|nächste[nrs]?|folgende[nrs]?)\s(?:Monats?|Jahr)"
    r"|Folgemonat\w*|(?:d['’]un|de\sun)\s(?:mes|año|mois|an)|(?:mes|año)\ssiguiente|mois\ssuivant)\b|[翌来次]月|下个月|一个月内|翌年",
    re.IGNORECASE,
)
_NEXT_MONTH = re.compile(r"(?:[翌次]月|下个月)[的の]?(?:(?P<day>[1-3]?\d)日)?")
_OF_NEXT_MONTH = re.compile(
    r"(?:\d{4}年)?(?P<month>1?\d)月(?:[1-3]?\d日)?[的の]?(?:[翌次]月|下个月)[的の]?(?:(?P<day>[1-3]?\d)日)?"
)
END_OF_MONTH = re.compile(
    r"\b(?:end|last\sday)\sof\s(?:the|that|each|every|a|this)\s(?:same\s)?(?:calendar\s)?month\b|\bMonatsende\b"
    r"|\bEnde\s(?:des|eines|dieses|jedes)\s\w{0,12}\s?Monats\b|\bfin(?:al(?:es)?)?\sde(?:l|\sese|\seste)?\s(?:mismo\s)?mes\b"
    r"|\bacabar\s(?:ese|este|el)\s(?:mismo\s)?mes\b|\bfin\s(?:du|de\sce)\s(?:même\s)?mois\b|月[底末]",
    re.IGNORECASE,
)
_PART_STEP = re.compile(r"(?P<start>\d{1,4})\s*(?P<sign>[-+−–])\s*(?P<length>\d{1,3})")
_PLAIN_SIGNS = str.maketrans("−–", "--")
_WHOLE_NUMBER = re.compile(r"\d{1,4}(?![\d.,])")
_SUM = re.compile(r"\d\s*[-+−–*/x×÷]\s*\d")
_DAY_NUMBER = re.compile(r"(?<!\d)\d{1,2}(?!\d)")


@dataclass(frozen=True, slots=True)
class KnownDates:
    """What documents and question have of dates.

    Attributes:
        texts: They themselves.
        moments: Their dates and times.
        lengths: Their lengths of time.
    """

    texts: Sequence[str]
    moments: Sequence[Moment]
    lengths: Sequence[Amount]

    def lead_to(self, value: str, workings: Sequence[tuple[str, str]], numbers: Collection[float]) -> bool:
        """Whether a date follows from a known one.

        It lies a stated term later, and the judge counts in some way; or the judge names it as the day after another,
        the end of a month or in the month after, of which a text speaks; or each of its parts is that of another date
        or one step from it that the judge shows: "15 - 1 = 14" and "2024 + 1 = 2025" lead from 15 March 2024 to 14
        March 2025.

        Args:
            value: The date as the claim has it.
            workings: Both sides of each "=" that the judge shows.
            numbers: By how much a part may differ.
        """
        dates = [fact.value for fact in extract(value).facts]
        date = dates[0] if len(dates) == 1 else None
        if not isinstance(date, Moment) or not date.month:
            return False
        counts = any(_SUM.search(left) for left, _ in workings)
        states = any(moment.month and moment.day for _, right in workings for moment in moments_in(right))
        terms = [length for length in self.lengths if not length.small]  # not "9 EUR a month"
        if counts and not states and lies_a_term_later(date, self.moments, terms):
            return True
        for one, other in both_ways(workings):
            if (date.day and self._is_named(date, one, other)) or self._is_next_month(date, one, other):
                return True
        return self._differs_by_steps(date, workings, numbers)

    def _is_named(self, date: Moment, name: str, words: str) -> bool:
        """Whether a link calls a date by what the texts speak of: "30 September = the end of that month"."""
        told = [moment for moment in moments_in(name) if moment.month]
        days = {int(day) for day in _DAY_NUMBER.findall(name)}
        if date.day not in days or any(moment.month != date.month for moment in told):
            return False
        if END_OF_MONTH.search(words) and any(map(END_OF_MONTH.search, self.texts)):
            return any(names_moment(each, date) for each in self._ends_of_months(1 if ONE_MONTH.search(words) else 0))
        if not (NEXT_DAY.search(words) and any(map(NEXT_DAY.search, self.texts))):
            return False
        return any(names_moment(each, date) for each in days_after(self.moments))

    def _is_next_month(self, date: Moment, name: str, words: str) -> bool:
        """Whether a link calls a month, or a day of it, the one after a known one: "7月 = 6月的次月".

        The question has that month, or the text that speaks of the next one, and a text names the day in the next
        month: "次月8日". Chinese and Japanese only.
        """
        told = _OF_NEXT_MONTH.fullmatch(words.strip())
        named = [moment for moment in moments_in(name) if moment.month]
        if told is None or [(moment.day, moment.month) for moment in named] != [(date.day, date.month)]:
            return False
        speak = [text for text in self.texts if _NEXT_MONTH.search(text)]
        days = {int(found["day"]) for text in speak for found in _NEXT_MONTH.finditer(text) if found["day"]}
        if not speak or (date.day and date.day not in days) or (told["day"] and int(told["day"]) != date.day):
            return False
        before = [m for text in (self.texts[0], *speak) for m in moments_in(text) if m.month == int(told["month"])]
        ends = (moved(m._replace(day=1), 0, 1) for m in before)
        return any(
            end is not None
            and end.month == date.month
            and (not date.years or (m.years and date.years == (end.year,) * 2))
            for m, end in zip(before, ends, strict=True)
        )

    def _ends_of_months(self, later: int) -> list[Moment]:
        """The last days of the months of the dates, or so many months later."""
        known = ((moment, moved(moment._replace(day=1), 0, later)) for moment in self.moments if moment.month)
        return [
            Moment(m.years and (end.year, end.year), end.month, monthrange(end.year, end.month)[1])
            for m, end in known
            if end is not None
        ]

    def _differs_by_steps(self, date: Moment, workings: Sequence[tuple[str, str]], numbers: Collection[float]) -> bool:
        steps = _steps(workings)
        of_days = {ends for ends, length in steps.items() if length in numbers}
        one_month = any(map(ONE_MONTH.search, self.texts))
        of_months = of_days | {ends for ends, length in steps.items() if one_month and length == 1}
        days = {moment.day for moment in self.moments if moment.day and not moment.month}  # "the 12th of each month"
        starts = [moment for moment in self.moments if moment.month]
        starts += [moment._replace(day=day) for moment in starts if moment.day is None for day in days]
        for start in starts:
            parts = zip(_parts(start), _parts(date), (of_days, of_months, of_months), strict=True)
            moves = [((one, two), known) for one, two, known in parts if two is not None and one != two]
            apart = len({ends for ends, _ in moves}) == len(moves)  # one step moves one part
            if moves and apart and all(ends in known for ends, known in moves):
                return True
        return False


def days_after(moments: Sequence[Moment]) -> list[Moment]:
    """The days after the dates among them."""
    ends = [(moment, moved(moment, 1, 0)) for moment in moments if moment.month and moment.day]
    return [
        moment._replace(years=moment.years and (end.year, end.year), month=end.month, day=end.day)
        for moment, end in ends
        if end is not None
    ]


def _steps(workings: Sequence[tuple[str, str]]) -> dict[tuple[int, int], float]:
    """From, to and length of the steps of whole numbers that add up: "15 - 1 = 14"."""
    shown = ((_PART_STEP.fullmatch(left.strip()), _WHOLE_NUMBER.match(right.strip())) for left, right in workings)
    return {
        (int(step["start"]), int(end[0])): float(step["length"])
        for step, end in shown
        if step and end
        if int(step["start"]) + int(step["sign"].translate(_PLAIN_SIGNS) + step["length"]) == int(end[0])
    }


def _parts(date: Moment) -> tuple[int | None, int | None, int | None]:
    """Day, month and year."""
    return date.day, date.month, date.years[0] if date.years and date.years[0] == date.years[1] else None
