"""Contradictions in figures: another number, year, month or unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Change, Rule, Source, like, replaced
from guardrail.evaluation.stress.words import table
from guardrail.types import ErrorType

_K = ErrorType.CONTRADICTION
# A number under a bound ("at least 50") is left alone: with another number the sentence may still be true.
_NUMBER = re.compile(
    r"(?<![\w.,:/=–-])(?<!= )(?P<number>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\w:/–]|[.,]\d|-\d|st\b|nd\b|rd\b|th\b)"
)
_BOUND = re.compile(
    r"\b(?:at least|at most|more than|less than|fewer than|over|under|above|below|up to|no later than|minimum of|"
    r"maximum of|exceeds?|exceeding|within|until|beyond|between|from|than|nearly|almost|about|around|roughly|"
    r"approximately|some|only|aged?|limit(?:ed to)?|capped at|and|to|or|by|down to)"
    r"(?: [£$€¥]?| an? )?$",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\s?(?:\w+ )?(?:or (?:more|over|above|older|younger|less|fewer|under|below|"
    r"later)|and (?:over|above|under|older)|and \d|to \d|or \d|upwards)"
)
_LABEL = re.compile(
    r"(?:[A-Z][\w'’]*|[Nn]o\.|\b(?:version|room|page|type|part|gate|line|model|"
    r"section|route|bed|step|level|size|class|chapter|platform|silo|item|rule|"
    r"article|table|figure|grade|day|week|number|age)s?) $"
)
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_DATES = (
    (re.compile(rf"\b(?:{'|'.join(m for m in _MONTHS if m != 'May')})\b"), _MONTHS),
    (re.compile(rf"\b(?:{'|'.join(_DAYS)})(?=s?\b)"), _DAYS),
)
_DATED = re.compile(r"(?:\b(?:in|on|of|early|late|mid|last|next|this|for|every|each)|\d) $", re.IGNORECASE)
_RANGED = re.compile(
    r"(?:\b(?:from|until|between|to|and|by|since|before|after|or|end of|through|till)|,|–) "
    r"(?:(?:early|late|mid) )?(?:\d+ )?$"
)
_WORDS = "two three four five six seven eight nine ten eleven twelve".split()
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b(?! or | to | and |-|ths?\b)", re.IGNORECASE)
_UNITS = table("units")
_UNIT = re.compile(rf"(?<=\d )(?:{'|'.join(_UNITS)})\b(?!\s?[²³])")


def other_number(source: Source, rng: Random) -> Iterator[Change]:
    """Another number in digits. Bounded numbers, labels and ranges stay as they are."""
    text = source.sentence
    for match in _NUMBER.finditer(text):
        before = text[: match.start()].rstrip("£$€¥")
        if _BOUND.search(before) or _LABEL.search(before) or _OPEN.match(text, match.end()):
            continue
        new = _free_number(match["number"], text, match.end(), source, rng)
        if new is not None:
            yield replaced(_K, text, match.start(), match.end(), new)


def other_number_word(source: Source, rng: Random) -> Iterator[Change]:
    """Another number written as a word."""
    text = source.sentence
    for match in _WORD.finditer(text):
        value = _WORDS.index(match[0].lower()) + 2
        if value == 2 or _BOUND.search(text[: match.start()]) or _OPEN.match(text, match.end()):
            continue  # "the two", "these two": two is seldom a free count
        near = [w for n, w in enumerate(_WORDS, 2) if 0 < abs(n - value) <= 4 and n > 2 and w not in source.all.lower()]
        if near:
            yield replaced(_K, text, match.start(), match.end(), like(match[0], rng.choice(near)))


def other_date(source: Source, rng: Random) -> Iterator[Change]:
    """Another month or weekday; "June" and "April" are people too, so something dated must stand before or after."""
    text = source.sentence
    for pattern, names in _DATES:
        for match in pattern.finditer(text):
            before, after = text[: match.start()], text[match.end() :]
            if _RANGED.search(before) or re.match(r"(?:,| and| or| to|–)", after):
                continue
            if not _DATED.search(before) and not re.match(r" \d", after):
                continue
            free = [name for name in names if name not in source.all]
            if free:
                yield replaced(_K, text, match.start(), match.end(), rng.choice(free))


def other_unit(source: Source, _: Random) -> Iterator[Change]:
    """The unit of a number exchanged."""
    text = source.sentence
    for match in _UNIT.finditer(text):
        if not _BOUND.search(re.sub(r"[\d.,]+ $", "", text[: match.start()])):
            yield replaced(_K, text, match.start(), match.end(), _UNITS[match[0]])


def _free_number(number: str, text: str, end: int, source: Source, rng: Random) -> str | None:
    """A number near this one that the passages do not name."""
    digits = number.replace(",", "")
    if len(digits) > 12:
        return None
    for _ in range(6):
        new = _draw_number(number, digits, text[end : end + 12], text[:end], rng)
        if new is not None and new != number and new not in source.numbers:
            return new
    return None


def _draw_number(number: str, digits: str, after: str, before: str, rng: Random) -> str | None:
    if "." in digits:
        places = len(digits.split(".")[1])
        value = float(digits)
        if value == 0 or places > 4:
            return None
        return f"{value * rng.choice((0.4, 0.5, 0.6, 0.7, 1.4, 1.6, 1.8, 2.3)):.{places}f}"
    value = int(digits)
    if 1500 <= value <= 2100 and "," not in number and len(digits) == 4:
        return str(value + rng.choice((-9, -7, -6, -5, -4, -3, -2, 2, 3, 4, 5)))
    if value < 2 or digits.startswith("0"):
        return None
    if re.match(rf" (?:{'|'.join(_MONTHS)})", after):
        return str(rng.choice([day for day in range(2, 29) if abs(day - value) > 2]))
    if re.match(r"\s?(?:%|per ?cent)", after) and value <= 100:
        return str(rng.choice([n for n in range(2, 99) if abs(n - value) >= max(3, value // 5)]))
    if value <= 12:
        return str(rng.choice([n for n in range(max(2, value - 5), value + 8) if abs(n - value) > 1]))
    step = 10 ** (len(digits) - len(digits.rstrip("0")))
    factor = rng.choice((0.55, 0.6, 0.7, 0.75, 1.3, 1.4, 1.5, 1.7, 1.9, 2.1))
    if re.search(r"\b(?:can|may|holds?|seats|allows?|carr(?:y|ies))\b", before):
        factor = max(factor, 1.3)  # who can carry 40 can carry 30
    other = max(step, round(value * factor / step) * step)
    return f"{other:,}" if "," in number else str(other)


FIGURES: tuple[Rule, ...] = (other_number, other_number_word, other_date, other_unit)
