"""Workings that a judge shows for a value which no document has: "496000 + 411600 + 572000 = 1479600".

They count where the sum is right, gives the value, and is made of numbers that the documents or the question have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from guardrail.text.facts import extract
from guardrail.text.facts.arithmetic import holds
from guardrail.text.facts.fact import Amount

_NUMBER = re.compile(r"\d[\d.,'’\u202f\u00a0]*\d|\d")
_TOKEN = re.compile(
    rf"(?P<number>{_NUMBER.pattern})(?P<share>\s?%)?|(?P<sign>[-+*/()×·÷−–:]|(?<![^\W\d_])x(?![^\W\d_]))|(?P<of>\bof\b|\bde\b|\bvon\b|的)"
)
_SIGNS = {"×": "*", "·": "*", "x": "*", "÷": "/", ":": "/", "−": "-", "–": "-"}
_COUNTS = frozenset({*range(1, 13), 24, 30, 52, 60, 100, 365, 1000})
"""Numbers that need no document: how many there are, and the parts of a year, a day, a whole."""
_MOST_TOKENS = 60


def numbers_in(text: str) -> set[float]:
    """Every number that a text has, in digits of either convention ("1.200", "1,200") or in words."""
    found = {value for match in _NUMBER.finditer(text) for value in _readings(match.group())}
    return found | {abs(fact.value.raw) for fact in extract(text).facts if isinstance(fact.value, Amount)}


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
        results = list(_results(left, right, known))
        if any(_says(amount, result) for amount in amounts for result in results):
            return True
        known.update(results)
    return False


def _says(amount: Amount, result: float) -> bool:
    scale = amount.base / amount.raw if amount.raw else 1.0
    return holds(amount, result * scale, result) or (amount.unit == "%" and holds(amount, result, result))


def _results(left: str, right: str, known: set[float]) -> Iterator[float]:
    """Numbers of the right side that are the sum on the left, as exactly as they are written."""
    totals = [total for mark in (",", ".") if (total := _total(left, known, mark)) is not None]
    for match in _NUMBER.finditer(right):
        scale = 100 if right[match.end() :].lstrip().startswith("%") else 1
        for mark in (",", "."):
            result = _read(match.group(), mark)
            if result is not None and any(
                abs(total * each - result) <= _half_a_digit(match.group(), mark)
                for total in totals
                for each in {1, scale}
            ):
                yield result


def _half_a_digit(number: str, thousands: str) -> float:
    """Half a unit of the last digit that a number shows, noughts at its end left out ("1,480,000": 5,000)."""
    whole, mark, part = number.replace(thousands, "").partition("." if thousands == "," else ",")
    if mark:
        return 0.5 * 10.0 ** -len(part) * (1 + 1e-9)
    digits = re.sub(r"\D", "", whole)
    return 0.5 * 10.0 ** (len(digits) - len(digits.rstrip("0"))) if len(digits) > 3 else 0.5


def _total(left: str, known: set[float], thousands: str) -> float | None:
    """The value of a sum whose numbers are known, at least one of them not just a count; None if it is none."""
    tokens: list[str | float] = []
    from_documents = False
    for match in _TOKEN.finditer(left):
        if match["number"] is None:
            tokens.append("*" if match["of"] else _SIGNS.get(match["sign"], match["sign"]))
            continue
        number = _read(match["number"], thousands)
        if number is None:
            return None
        from_documents |= number in known
        if number not in known and number not in _COUNTS:
            return None
        tokens.append(number / 100 if match["share"] else number)
    if not from_documents or len(tokens) < 3 or len(tokens) > _MOST_TOKENS:
        return None
    rest = iter([*tokens, ""])
    try:
        total, end = _sum(rest, next(rest))
    except (TypeError, ValueError, ZeroDivisionError, StopIteration):
        return None
    return total if end == "" else None


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
