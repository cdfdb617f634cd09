"""Values that no document has, but that follow from what documents and question have.

A judge shows how, or it can be worked out here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from guardrail.engines.llm.agreed_dates import NEXT_DAY, KnownDates, days_after
from guardrail.engines.llm.calendar_sums import (
    days_of_months,
    ends_a_term,
    gives_day,
    gives_days,
    gives_span,
    gives_weekday,
    is_month_length,
)
from guardrail.engines.llm.clock_sums import gives_hours, gives_time
from guardrail.engines.llm.hedges import leeway
from guardrail.engines.llm.workings import both_ways, gives, gives_nearly, numbers_in, plain_results, totals
from guardrail.text.facts import extract, missing_facts
from guardrail.text.facts.arithmetic import computed, near
from guardrail.text.facts.fact import Amount, Bound, Facts, Moment
from guardrail.text.facts.numbers import plain_digits, read_cjk
from guardrail.text.facts.small_words import in_digits
from guardrail.text.facts.units import DAY, JAPANESE_MINUTES
from guardrail.text.language import language, may_be_english
from guardrail.text.sentences import split_sentences
from guardrail.types import Passage

Workings = Sequence[tuple[str, str]]
"""What a judge shows of a point: both sides of each "=", in order."""

_CENTS = re.compile(
    r"\b(?:cents?|ct|pence|pennies|centimes|centavos|Pf(?:ennig)?)\b|¢|[0-9一二三四五六七八九十]\s?分(?!钟|鐘|之|析|店|公司)",
    re.IGNORECASE,
)

_LONGEST = 200
"""Characters of one side of a working."""

_STARTED = re.compile(
    r"\b(?:started|begun|commenced|part\sof\san?|or\spart|angefangene?[nrs]?|angebrochene?[nrs]?|iniciada|empezada"
    r"|entamée|commencée)\b|不足一|不满一|不足1|不满1",
    re.IGNORECASE,
)
"""What is charged by the hour that has begun."""

_ROUNDS_UP = re.compile(
    r"\b(?:round(?:ed|s)?\sup|aufgerundet|rund\w*\b[^.]{0,40}\sauf\b|redonde\w+\b[^.]{0,40}\b(?:superior|alza)"
    r"|arrondi\w*\b[^.]{0,40}\bsupérieure?)\b|向上取整|进一法|进位",
    re.IGNORECASE,
)
_ROUNDS_DOWN = re.compile(
    r"\b(?:round(?:ed|s)?\sdown|abgerundet|rund\w*\b[^.]{0,40}\sab\b|redonde\w+\b[^.]{0,40}\b(?:inferior|baja)"
    r"|arrondi\w*\b[^.]{0,40}\binférieure?)\b|向下取整|舍去",
    re.IGNORECASE,
)

_NEXT_MORNING = re.compile(r"\b(?:day\safter|(?:next|following)\sday|tomorrow)\b|[次翌]日|第二天", re.IGNORECASE)
_LATER_DAY = re.compile(rf"{NEXT_DAY.pattern}|\b(?:days?|Tage?|días?|jours?)\b|[0-9一二三两]\s?[天日]", re.IGNORECASE)
_UNTIL = re.compile(
    r"\s*(?:Uhr\s)?(?:to|until|till|bis|(?:hasta|a)(?:\slas?)?|à|jusqu['’]à|[-–—〜~～至到]|から|and|et|und|y)\s*",
    re.IGNORECASE,
)
_DAY_BEHIND = re.compile(r"\s?(?:days?\b|天|日)", re.IGNORECASE)
_DAYS_COUNTED = re.compile(r"(?P<days>\d{1,3})日")
_CLOCK = re.compile(r"(?<![\d.:])(?P<hours>[01]?\d|2[0-4])\s?[:.h時]\s?(?P<minutes>[0-5]\d)(?![\d.:])")
_SHARE = re.compile(
    r"(?<![0-9.一二三四五六七八九])(?P<of>[0-9](?:\.[0-9])?|[0-9]{2}|[一二三四五六七八九]{1,2})\s?(?P<by>[折割])(?!合)"
)
_HALF_PRICE = re.compile(r"对折|對折|半价|半價|半額")

_POINTED = re.compile(r"[^\d.,]*[1-9]\d{0,2}(?:\.\d{3})+(?![\d.,]*\d)[^\d]*")
"""A number whose points may part thousands."""

_DECIMALS = re.compile(r"(?<![\d.,:])\d{1,9}\.\d{1,2}(?![\d.:])(?!\s?Uhr)")

_LIKE_A_YEAR = re.compile(r"[12]\d{3}")
SCALE = re.compile(r"(?<=\d)\s?(?:thousand|million|billion|bn|m|k)\b|(?<=\d)[千万亿]", re.IGNORECASE)
"""Tables give amounts in millions without saying so in each cell."""

_YEAR = r"\b(?:years?|yearly|annual(?:ly)?)\b|每年|一年|全年"
_DAY = r"\b(?:days?|daily|nights?)\b|每天|一天|每日"
_PERIODS = (
    ((r"\bmonth(?:s|ly)?\b|每月|个月", _YEAR), 12),
    ((r"\bweek(?:s|ly)?\b|每周|一周", _YEAR), 52),
    ((r"\bquarter(?:s|ly)?\b|每季", _YEAR), 4),
    ((_DAY, r"\bweek(?:s|ly)?\b|每周|一周"), 7),
    ((r"\bhour(?:s|ly)?\b|小时", _DAY), 24),
    ((r"\bminutes?\b|分钟", r"\bhour(?:s|ly)?\b|小时"), 60),
)
"""What a sentence that speaks of both periods may multiply by."""


class DerivedValues:
    """What can be worked out from the documents and the question of one request.

    Args:
        question: "" if it is not known.
        passages: The documents.
        facts: What their titles and sentences state.
    """

    def __init__(self, question: str, passages: Sequence[Passage], facts: Sequence[Facts]) -> None:
        self._asked = extract(question)
        self._texts = (question, *(text for p in passages for text in (p.title or "", p.text)))
        self._facts = facts
        self._whole = (question, *(f"{p.title or ''} {p.text}" for p in passages))

    def follow(self, value: str, said: str, workings: Workings) -> bool:
        """Whether the question has the value, the judge shows how it comes about, or it follows from its sentence.

        "16 EUR more a month, 192 EUR in a year".

        Args:
            value: As the claim has it.
            said: The sentence of the answer.
            workings: What the judge shows.
        """
        workings = [pair for pair in workings if max(map(len, pair)) <= _LONGEST]
        if language(said) == "ja":
            value, said = _spelt_out(value), _spelt_out(said)
            workings = [(_spelt_out(one), _spelt_out(other)) for one, other in workings]
        sentence = extract(said)
        value = _whole_length(value, sentence)
        stated = extract(value)
        if not stated.facts:
            return False
        if self._asked.facts and not missing_facts(stated, [self._asked]):
            return True
        if (days := _DAYS_COUNTED.fullmatch(value)) and re.search(f"{value}[分間前後]", said):
            if float(days["days"]) in self.numbers:
                return True
            value = f"{days['days']}日間"  # "8日分", "8日前" are no day of a month
            stated = extract(value)
        if self._shown(value, said, workings) or self._is_rounded_up(value, said, workings):
            return True
        if self._is_rounded(stated, workings) or gives_span(value, list(_spans(said, value)), self._moments):
            return True
        lost = {missing.claim_value for missing in missing_facts(sentence, self._facts)}  # they vouch for nothing
        beside = (fact for fact in sentence.facts if fact.surface not in lost)
        known = [f.value for f in (*self._asked.facts, *beside) if isinstance(f.value, Amount)]
        times = [n for words, n in _PERIODS if all(re.search(word, said, re.IGNORECASE) for word in words)]
        return all(
            isinstance(fact.value, Amount)
            and (computed(fact.value, known, ()) or _is_multiple(fact.value, known, times))
            for fact in stated.facts
        )

    def follow_from_question(self, value: str, workings: Workings) -> bool:
        """Whether workings with numbers of the question alone give the value, in a unit that it has.

        "18 km each way" for 36 km.
        """
        units = {fact.value.unit for fact in self._asked.counted if isinstance(fact.value, Amount)}
        amounts = [fact.value for fact in extract(value).facts]
        alike = all(isinstance(amount, Amount) and amount.unit in units for amount in amounts)
        return alike and gives(value, workings, numbers_in(self._texts[0]) | _in_words([self._asked]))

    def follow_twice(self, value: str, workings: Workings) -> bool:
        """Whether a date follows from a known one, for what two looks agree on (agreed_dates)."""
        sums = plain_results(workings, self.numbers)
        return KnownDates(self._texts, self._moments, self._times).lead_to(value, workings, self._days_apart | sums)

    @cached_property
    def numbers(self) -> set[float]:
        """All that documents and question have, in digits or in words."""
        figures = {number for text in self._texts for number in numbers_in(text)}
        return figures | _in_words([self._asked, *self._facts])

    @cached_property
    def _clock_parts(self) -> set[float]:
        """Hours and minutes of times of day, for "60 - 36 + 31 = 55" from 15:36 to 16:31."""
        clocks = [each for text in self._texts for each in _CLOCK.finditer(text)]
        return {60.0, *(float(each[part]) for each in clocks for part in ("hours", "minutes"))} if clocks else set()

    @cached_property
    def _days_apart(self) -> set[float]:
        """The numbers, and one where a text speaks of the day before or after."""
        return self.numbers | ({1.0} if self._next_day else set())

    @cached_property
    def _next_day(self) -> set[float]:
        """The length of a day where a text speaks of the day before or after."""
        return {DAY} if any(map(NEXT_DAY.search, self._texts)) else set()

    def _shown(self, value: str, said: str, workings: Workings) -> bool:
        forms = [value]
        if (scale := SCALE.search(value)) and any(self._that_count_in(scale.group())):
            forms.append(SCALE.sub("", value))  # sums are worked out in the documents' millions
        if self._parts_thousands(value, said):
            forms.append(value.replace(".", ""))
        factors = self._factors | days_of_months([*self._whole, said, *(side for pair in workings for side in pair)])
        hedged = leeway(value, said)
        return (
            any(gives(form, workings, self._summands, factors) for form in forms)
            or any(gives(form, shown, self._summands, factors) for form, shown in self._in_other_units(value, workings))
            or (
                _LIKE_A_YEAR.fullmatch(value) is not None
                and language(said) in ("zh", "ja")  # a year has its 年 there
                and self._comes_to(float(value), workings, factors)
            )
            or (hedged is not None and gives_nearly(value, workings, self._summands, factors, hedged))
            or is_month_length(value, said, workings)
            or self._is_in_time(value, said, workings, factors)
            or self._is_scaled(value, workings)
        )

    def _parts_thousands(self, value: str, said: str) -> bool:
        """Whether points may part thousands, "2.500 kg" in Spanish.

        No text has decimals behind a point, or counts such things in another unit.
        """
        amount = _exact(value)
        if amount is None or not _POINTED.fullmatch(value) or language(said) != "en" or may_be_english(said):
            return False
        scales = {round(a.base / a.raw, 9) for a in self._amounts if a.unit == amount.unit and a.raw}
        return scales <= {round(amount.base / amount.raw, 9)} and not any(map(_DECIMALS.search, self._texts))

    def _in_other_units(self, value: str, workings: Workings) -> Iterator[tuple[str, Workings]]:
        """The value in another unit, "1200 g" where the judge says "1.2 kg = 1200 g", and the sums in that unit.

        Those that have a number which a text has in that unit: "800 x 1.5" where a text has 800 g.
        """
        wanted = _exact(value)
        if wanted is None or wanted.unit in ("", "%"):
            return
        for one, other in both_ways(workings):
            amount = _exact(other) if one.strip() == value else None
            if amount is None or amount.unit != wanted.unit or amount.raw == wanted.raw:
                continue
            if near(amount.base, wanted.base, 1e-9):
                known = {each.raw for each in self._amounts if each.unit and _fits(each, amount)}
                yield (
                    other,
                    [
                        (left, right)
                        for left, right in workings
                        if known & numbers_in(left) and _gives_such(right, amount)
                    ],
                )

    @cached_property
    def _amounts(self) -> list[Amount]:
        """What documents and question count."""
        facts = (fact.value for each in (self._asked, *self._facts) for fact in each.counted)
        return [value for value in facts if isinstance(value, Amount)]

    def _comes_to(self, number: float, workings: Workings, factors: Collection[float]) -> bool:
        """Whether a sum comes to a number that is read as a year by itself: "3600 - 1520"."""
        return number in plain_results(workings, self._summands, factors)

    def _is_in_time(self, value: str, said: str, workings: Workings, factors: Collection[float]) -> bool:
        """Whether workings give a date, a time or a length of time; they may add up lengths before."""
        sums = plain_results(workings, self._summands, factors)
        lengths = self._lengths | {size * each for size in self._sizes for each in sums}
        length = _in_days(value, said)
        return (
            gives_day(value, workings, self.numbers, self._moments, self._lengths | self._next_day)
            or ends_a_term(value, workings, self._moments, self._times)
            or gives(length, workings, self._summands | self._clock_parts, factors)
            or gives_span(length, workings, self._moments_and_next)
            or gives_days(length, workings, self._moments)
            or gives_time(value, workings, self.numbers | sums, self._moments, lengths)
            or gives_hours(value, workings, self._moments)
            or gives_weekday(value, workings, self._days_apart, self._moments)
        )

    def _is_rounded_up(self, value: str, said: str, workings: Workings) -> bool:
        """Whether the judge shows that a quantity counts as the next whole one: "3 h 10 min = 4 started hours"."""
        wanted = [fact.value for fact in extract(value).facts]
        whole = wanted[0] if len(wanted) == 1 else None
        if not isinstance(whole, Amount) or whole.unit != "s" or not whole.raw or not self._round_up:
            return False
        one = whole.base / whole.raw
        for left, right in workings:
            parts = [fact.value for fact in extract(left).facts]
            alike = [part.base for part in parts if isinstance(part, Amount) and part.unit == whole.unit]
            stated = not missing_facts(extract(left), [*self._facts, self._asked, extract(said)])
            known = stated or gives_span(left, workings, self._moments)
            fits = alike and len(alike) == len(parts) and known and whole.raw in numbers_in(right)
            if fits and sum(alike) < whole.base and math.ceil(sum(alike) / one - 1e-9) == whole.raw:
                return True
        return False

    def _is_rounded(self, stated: Facts, workings: Workings) -> bool:
        """Whether a document rounds to whole ones, up or down, and a sum gives the value so: "1212 / 11" for 111.

        The value has no unit, or one that the sentence with the rule has, or names ("volle Euro").
        """
        ways = ((_ROUNDS_UP, math.ceil), (_ROUNDS_DOWN, math.floor))
        told = [span.of(text) for text in self._texts[1:] for span in split_sentences(text)]
        rules = [(sentence, whole) for pattern, whole in ways for sentence in told if pattern.search(sentence)]
        used = {whole for _, whole in rules}
        said = (fact.value for sentence, _ in rules for fact in extract(sentence).facts)
        units = {"", *(value.unit for value in said if isinstance(value, Amount))}
        values = (fact.value for fact in stated.facts)
        amounts = [value.raw for value in values if isinstance(value, Amount) and value.unit in units]
        wanted = used and len(amounts) == len(stated.facts)
        sums = (
            {total for left, _ in workings for total in totals(left, self._summands, self._factors)}
            if wanted
            else set()
        )
        return bool(sums) and all(any(whole(each) == amount for whole in used for each in sums) for amount in amounts)

    @cached_property
    def _round_up(self) -> bool:
        """Whether something is charged or counted by the started hour."""
        return any(map(_STARTED.search, self._texts))

    def _that_count_in(self, scale: str) -> Iterator[str]:
        """Documents and titles that have the word for thousands or millions; a letter may be metres as well."""
        word = scale.strip().casefold()
        if len(word) > 1 or not word.isascii():
            yield from (text for text in self._texts[1:] if word in text.casefold())

    def _is_scaled(self, value: str, workings: Workings) -> bool:
        """Whether the documents count in thousands or millions where they say so once: "84 thousand of the 120"."""
        for one, other in workings:
            scale = SCALE.search(other)
            if scale is None or value not in one or missing_facts(extract(value), [extract(other)]):
                continue
            numbers = numbers_in(SCALE.sub("", other))
            if any(numbers <= numbers_in(text) for text in self._that_count_in(scale.group())):
                return True
        return False

    @cached_property
    def _summands(self) -> set[float]:
        """The numbers, and a hundredth of those in texts that count in cents: in a sum "30.9 cents" is 0.309."""
        told = (text for text in self._whole if _CENTS.search(text) and language(text) != "ja")  # there 分 are minutes
        cents = (number for text in told for number in numbers_in(text))
        return self.numbers | {round(number / 100, 9) for number in cents}

    @cached_property
    def _lasts(self) -> set[float]:
        """Minutes and hours of the case that the question tells: 390 and 6.5 of "from 10:20 to 16:50", on one day."""
        asked = self._texts[0]
        days = [m for fact in self._asked.counted if isinstance(m := fact.value, Moment) and (m.month or m.weekdays)]
        if days or _LATER_DAY.search(asked):
            return set()
        times = [(fact.span, fact.value.minute) for fact in self._asked.counted if isinstance(fact.value, Moment)]
        apart = [
            (end - start) % 1440
            for (one, start), (two, end) in pairwise(times)
            if start is not None and end is not None and _UNTIL.fullmatch(asked, one.end, two.start)
        ]
        return {size for minutes in apart for size in (float(minutes), minutes / 60) if size >= 1}

    @cached_property
    def _factors(self) -> set[float]:
        """What the texts' shares come to, and what they leave: 0.5 for 五折 or 50 %, 0.9 for 1割減 or 10 % off.

        And how long the question's case lasts, in minutes and hours.
        """
        facts = (fact.value for each in (self._asked, *self._facts) for fact in each.facts)
        shares = {value.base for value in facts if isinstance(value, Amount) and value.unit == "%"}
        for text in self._texts:
            shares |= {_share(match["of"]) for match in _SHARE.finditer(plain_digits(text))}
            shares |= {0.5} if _HALF_PRICE.search(text) else set()
        return {round(each, 9) for share in shares if 0 < share < 1 for each in (share, 1 - share)} | self._lasts

    @cached_property
    def _lengths(self) -> set[float]:
        """Lengths of time in seconds, also those with their number in German, Spanish or French words."""
        spelt = (digits for text in self._texts if (digits := in_digits(text)) != text)
        amounts = (fact.value for digits in spelt for fact in extract(digits).counted)
        return {a.base for a in (*self._times, *amounts) if isinstance(a, Amount) and a.unit == "s"}

    @cached_property
    def _sizes(self) -> set[float]:
        """Seconds of the units in which the texts count lengths of time."""
        return {round(amount.base / amount.raw, 3) for amount in self._times if amount.raw}

    @cached_property
    def _times(self) -> list[Amount]:
        """Lengths of time that documents and question state."""
        return [amount for amount in self._amounts if amount.unit == "s"]

    @cached_property
    def _moments_and_next(self) -> list[Moment]:
        """The dates and times, and the days after where a text speaks of the next day."""
        return self._moments + (days_after(self._moments) if any(map(_NEXT_MORNING.search, self._texts)) else [])

    @cached_property
    def _moments(self) -> list[Moment]:
        facts = (fact for each in (self._asked, *self._facts) for fact in each.counted)
        return [fact.value for fact in facts if isinstance(fact.value, Moment)]


def _share(numeral: str) -> float:
    """What a price of so many tenths, or hundredths, comes to: 0.5 for 五 or 5, 0.85 for 八五, 85 or 8.5."""
    digits = numeral if numeral.isascii() else f"{read_cjk(numeral):g}"
    return float(digits) / (100 if digits.isdecimal() and len(digits) == 2 else 10)


def _spelt_out(text: str) -> str:
    """Japanese minutes so that they are read as such where no other word tells the language."""
    return JAPANESE_MINUTES.sub("分間", text)


def _gives_such(right: str, amount: Amount) -> bool:
    """Whether a result is one number at most, bare or in the unit of an amount."""
    values = [fact.value for fact in extract(right).facts]
    return len(values) <= 1 and all(isinstance(value, Amount) and _fits(value, amount) for value in values)


def _fits(value: Amount, amount: Amount) -> bool:
    """Whether an amount is bare or in the unit of another."""
    return not value.unit or (
        value.unit == amount.unit and near(value.base * amount.raw, amount.base * value.raw, 1e-9)
    )


def _exact(text: str) -> Amount | None:
    """The amount that a text is, if it is one and nothing else, and neither about nor more or less than that."""
    facts = extract(text).facts
    amount = facts[0].value if len(facts) == 1 else None
    if not isinstance(amount, Amount) or amount.bound is not Bound.EXACT or amount.ordinal or not amount.raw:
        return None
    return amount


def _in_days(value: str, said: str) -> str:
    """The value, or "13 days" for 第十三 where the answer has 第十三天."""
    found = [fact.value for fact in extract(value).facts]
    number = found[0] if len(found) == 1 else None
    at = said.find(value)
    if isinstance(number, Amount) and number.ordinal and at >= 0 and _DAY_BEHIND.match(said, at + len(value)):
        return f"{number.raw:g} days"
    return value


def _whole_length(value: str, sentence: Facts) -> str:
    """A length of time with the parts of it that stand beside it: "四十二小时" of "四十二小时二十分钟"."""
    lengths = [f for f in sentence.facts if isinstance(f.value, Amount) and f.value.unit == "s"]
    at = next((number for number, fact in enumerate(lengths) if fact.surface == value), None)
    if at is None:
        return value
    first = last = at
    while first and lengths[first].span.start - lengths[first - 1].span.end <= 1:
        first -= 1
    while last + 1 < len(lengths) and lengths[last + 1].span.start - lengths[last].span.end <= 1:
        last += 1
    return sentence.text[lengths[first].span.start : lengths[last].span.end]


def _spans(said: str, value: str) -> Iterator[tuple[str, str]]:
    """Each two dates of a sentence, as if the judge had shown that the value lies between them."""
    dates = [fact.surface for fact in extract(said).facts if isinstance(fact.value, Moment)]
    yield from ((f"{one} to {two}", value) for one, two in pairwise(dates))


def _in_words(texts: Sequence[Facts]) -> set[float]:
    return {abs(fact.value.raw) for each in texts for fact in each.facts if isinstance(fact.value, Amount)}


def _is_multiple(amount: Amount, known: Sequence[Amount], times: Sequence[int]) -> bool:
    """Whether an amount is one of the others, of the same unit, so many times."""
    same = [other.base for other in known if other.unit == amount.unit]
    return any(near(amount.base, one, 1e-6) for base in same for n in times for one in (base * n, base / n))
