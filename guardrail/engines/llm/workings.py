"""Workings that a judge shows for a value which no document has: "496000 + 411600 + 572000 = 1479600".

They count where the sum is right, gives the value, and is made of numbers that the documents or the question have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from guardrail.text.facts import extract
from guardrail.text.facts.arithmetic import holds, near
from guardrail.text.facts.fact import Amount

_NUMBER = re.compile(r"\d[\d.,'’\u202f\u00a0]*\d|\d")
_TOKEN = re.compile(
    rf"(?P<number>{_NUMBER.pattern})(?P<share>\s?%)?|(?P<sign>[-+*/()×·÷−–:]|(?<![^\W\d_])x(?![^\W\d_]))|(?P<of>\bof\b|\bde\b|\bvon\b|的)"
)
_SIGNS = {"×": "*", "·": "*", "x": "*", "÷": "/", ":": "/", "−": "-", "–": "-"}
_COUNTS = frozenset({*range(1, 13), 24, 30, 52, 60, 100, 365, 1000})
"""Numbers that need no document: how many there are, and the parts of a year, a day, a whole."""
_WHOLE = 100
"""Per cent, of which shares leave a rest."""
_MOST_TOKENS = 60
_MOST_DIGITS = 18
_ROUNDED = 0.02
"""How far a rounded result may be from the sum, relatively: "2.3" for 7 / 3."""
_HYPHEN = re.compile(r"\d[-–]\d")
"""A date or a range, not a difference."""


_SMALL_WORDS = {
    word: number
    for first, words in (
        (2, "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn"),
        (3, "tres cuatro cinco seis siete ocho nueve diez"),
        (12, "doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte"),
        (2, "deux trois quatre cinq"),
        (10, "dix onze douze treize quatorze quinze"),
    )
    for number, word in enumerate(words.split(), start=first)
} | {"zwanzig": 20, "dreißig": 30, "treinta": 30, "sesenta": 60, "vingt": 20, "trente": 30, "soixante": 60}
_SMALL_WORD = re.compile(rf"\b(?:{'|'.join(_SMALL_WORDS)})\b", re.IGNORECASE)


def numbers_in(text: str) -> set[float]:
    """Every number that a text has in digits, of either convention ("1.200", "1,200"), or as a small word ("drei")."""
    digits = in_digits(text)
    return {value for match in _NUMBER.finditer(digits) for value in _readings(match.group())}


def in_digits(text: str) -> str:
    """The text with small numbers in digits that German, Spanish and French words name, and nothing else ("neuf")."""
    return _SMALL_WORD.sub(lambda match: str(_SMALL_WORDS[match.group().casefold()]), text)


def gives(value: str, workings: Iterable[tuple[str, str]], known: set[float]) -> bool:
    """Whether one of the workings gives the value.

    Args:
        value: As the claim has it ("EUR 1,479,600").
        workings: What stands on both sides of each "=", in order; a later one may use the result of an earlier one.
        known: Numbers of the documents and the question (``numbers_in``).
    """
    amounts = [fact.value for fact in extract(value).facts if isinstance(fact.value, Amount)]
    known = set(known)
    for left, right in workings:
        found = list(totals(left, known))
        results = list(_results(found, right))
        if amounts and all(any(_is(amount, *result) for result in results) for amount in amounts):
            return True
        known.update(found)
        known.update(
            result
            for result, is_share in results
            if any(near(result / (100 if is_share else 1), total, 1e-6) or near(result, total, 1e-6) for total in found)
        )
    return False


def totals(left: str, known: set[float]) -> Iterator[float]:
    """The value of a sum of known numbers, in either convention of writing them."""
    for mark in (",", "."):
        if (total := _total(left, known, mark)) is not None:
            yield total


def any_holds(workings: Iterable[tuple[str, str]], known: set[float]) -> bool:
    """Whether one of the workings is a sum of known numbers that is right, whatever it gives."""
    return any(any(_results(list(totals(left, known)), right)) for left, right in workings)


def _is(amount: Amount, result: float, is_share: bool) -> bool:
    if is_share:
        return amount.unit == "%" and holds(amount, result / 100, result)
    scale = amount.base / amount.raw if amount.raw else 1.0
    return holds(amount, result * scale, result) or (amount.unit == "%" and holds(amount, result, result))


def _results(totals: Sequence[float], right: str) -> Iterator[tuple[float, bool]]:
    """Numbers of the right side that are the sum on the left, as exactly as they are written; whether in per cent."""
    for match in _NUMBER.finditer(right):
        is_share = right[match.end() :].lstrip().startswith("%")
        for mark in (",", "."):
            result = _read(match.group(), mark)
            if result is None:
                continue
            for total in totals:
                wanted = abs(total * 100 if is_share and total <= 1 else total)  # a loss is written without its sign
                off = abs(wanted - result)
                if off <= _half_a_digit(match.group(), mark) and off <= _ROUNDED * wanted:
                    yield result, is_share


def _half_a_digit(number: str, thousands: str) -> float:
    """Half a unit of the last digit that a number shows, noughts at its end left out ("1,480,000": 5,000)."""
    whole, mark, part = number.replace(thousands, "").partition("." if thousands == "," else ",")
    if mark:
        return 0.5 * 10.0 ** -len(part) * (1 + 1e-9)
    digits = re.sub(r"\D", "", whole)
    return 0.5 * 10.0 ** (len(digits) - len(digits.rstrip("0"))) if len(digits) > 3 else 0.5


def _total(left: str, known: set[float], thousands: str) -> float | None:
    """The value of a sum of known numbers; None if it is none.

    Any number could be made of counts, or of numbers that cancel out: so at most one count, as a factor or divisor, and
    what is subtracted or divided by stands nowhere else.
    """
    if _HYPHEN.search(left):
        return None
    tokens: list[str | float] = []
    for match in _TOKEN.finditer(left):
        if match["number"] is None:
            tokens.append("*" if match["of"] else _SIGNS.get(match["sign"], match["sign"]))
            continue
        number = _read(match["number"], thousands)
        if number is None:
            return None
        tokens.append(number / 100 if match["share"] else number)
        if number not in known and not (number == _WHOLE and match["share"]):
            if number not in _COUNTS or match["share"]:
                return None
            tokens[-1] = _Count(number)
    if not 3 <= len(tokens) <= _MOST_TOKENS or not _is_plain(tokens):
        return None
    rest = iter([*tokens, ""])
    try:
        total, end = _sum(rest, next(rest))
    except (TypeError, ValueError, ZeroDivisionError, StopIteration):
        return None
    return total if end == "" else None


class _Count(float):
    """A number that no document has."""


def _is_plain(tokens: Sequence[str | float]) -> bool:
    numbers = [token for token in tokens if isinstance(token, float)]
    counts = [place for place, token in enumerate(tokens) if isinstance(token, _Count)]
    beside = {
        token for place in counts for token in (*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2])
    }
    taken = [token for before, token in pairwise(tokens) if before in ("-", "/") and isinstance(token, float)]
    return (
        len(counts) < len(numbers)
        and len(counts) <= 1
        and beside <= {"*", "/"}
        and all(numbers.count(token) == 1 for token in taken)
    )


def _sum(rest: Iterator[str | float], at: str | float) -> tuple[float, str | float]:
    total, at = _product(rest, at)
    while at in ("+", "-"):
        sign = 1 if at == "+" else -1
        term, at = _product(rest, next(rest))
        total += sign * term
    return total, at


def _product(rest: Iterator[str | float], at: str | float) -> tuple[float, str | float]:
    total, at = _term(rest, at)
    while at in ("*", "/"):
        divides = at == "/"
        factor, at = _term(rest, next(rest))
        total = total / factor if divides else total * factor
    return total, at


def _term(rest: Iterator[str | float], at: str | float) -> tuple[float, str | float]:
    if at == "(":
        inner, end = _sum(rest, next(rest))
        if end != ")":
            raise ValueError(end)
        return inner, next(rest)
    if not isinstance(at, float):
        raise TypeError(at)
    return at, next(rest)


def _readings(number: str) -> list[float]:
    return [value for mark in (",", ".") if (value := _read(number, mark)) is not None]


def _read(number: str, thousands: str) -> float | None:
    """A number whose thousands are parted by this mark (or none); None if it cannot be read so."""
    digits = re.sub(r"['’\u202f\u00a0]", "", number)
    if len(digits) > _MOST_DIGITS:
        return None
    decimal = "." if thousands == "," else ","
    whole, mark, part = digits.partition(decimal)
    groups = whole.split(thousands)
    if len(groups) > 1 and not (1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])):
        return None
    text = "".join(groups) + (f".{part}" if mark else "")
    try:
        return float(text)
    except ValueError:
        return None
