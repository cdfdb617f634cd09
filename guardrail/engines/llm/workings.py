"""Workings that a judge shows for a value which no document has: "496000 + 411600 + 572000 = 1479600".

They count where the sum is right, gives the value, and is made of numbers that the documents or the question have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from guardrail.text.facts import extract
from guardrail.text.facts.arithmetic import holds, near
from guardrail.text.facts.fact import Amount
from guardrail.text.facts.small_words import in_digits

_NUMBER = re.compile(r"\d[\d.,'’\u202f\u00a0]*\d|\d")
_PRODUCT = re.compile(
    rf"(?P<one>{_NUMBER.pattern})(?P<share>\s?%)?\s*(?:[x×*·]|\bof\b|\bde\b|\bvon\b|的)\s*(?P<two>{_NUMBER.pattern})"
)
_SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?!\d)")
"""Thousands parted by blanks: "1 240,00"."""
_MYRIADS = re.compile(
    r"(?<![\d,.万萬亿億])(?P<number>\d[\d,]{0,9}(?:\.\d{1,4})?)\s?(?P<scale>[万萬亿億])(?![\d万萬亿億])"
)
"""Not a numeral of several parts ("3万5000")."""
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


def numbers_in(text: str) -> set[float]:
    """Every number that a text has in digits, of either convention ("1.200", "1,200"), or as a small word ("drei")."""
    digits = in_digits(text)
    forms = {digits, _joined(digits)}
    return {value for form in forms for match in _NUMBER.finditer(form) for value in _readings(match.group())}


def both_ways(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Each pair as it is and turned round: judges write either side first."""
    for one, other in pairs:
        yield one, other
        yield other, one


def gives(
    value: str, workings: Iterable[tuple[str, str]], known: set[float], factors: Collection[float] = frozenset()
) -> bool:
    """Whether one of the workings gives the value.

    Args:
        value: As the claim has it ("EUR 1,479,600").
        workings: What stands on both sides of each "=", in order; a later one may use the result of an earlier one.
        known: Numbers of the documents and the question (``numbers_in``).
        factors: Further ones that may be a factor or divisor, one in each sum: 0.5 for "half off", 31 of July.
    """
    return _any_gives(value, worked_out(workings, known, factors), _is)


def gives_nearly(
    value: str,
    workings: Iterable[tuple[str, str]],
    known: set[float],
    factors: Collection[float],
    leeway: tuple[float, float],
) -> bool:
    """Whether one of the workings gives about the value.

    Args:
        value: As the claim has it.
        workings: As for ``gives``.
        known: As for ``gives``.
        factors: As for ``gives``.
        leeway: Between what shares of the value the result must lie ((0.99, 1.0): a little less).
    """
    return _any_gives(
        value,
        worked_out(workings, known, factors),
        lambda amount, result, is_share: _is_near(amount, result, is_share, leeway),
    )


def worked_out(
    workings: Iterable[tuple[str, str]], known: set[float], factors: Collection[float] = frozenset()
) -> Iterator[list[tuple[float, bool]]]:
    """What each working gives, if it is right, as it is written, and whether that is in per cent."""
    known = set(known)
    for left, right in workings:
        found = list(totals(left, known, factors))
        results = list(_results(found, right))
        between = list(_factor_between(left, right, known))
        yield [*results, *((100 * factor, True) for factor in between if "%" in left)]
        known.update(found)
        known.update(between)
        known.update(
            result
            for result, is_share in results
            if any(near(result / (100 if is_share else 1), total, 1e-6) or near(result, total, 1e-6) for total in found)
        )


def plain_results(
    workings: Iterable[tuple[str, str]], known: set[float], factors: Collection[float] = frozenset()
) -> set[float]:
    """What the workings give, but for shares."""
    found = worked_out(workings, known, factors)
    return {result for results in found for result, is_share in results if not is_share}


def _factor_between(left: str, right: str, known: set[float]) -> Iterator[float]:
    """What a known number is multiplied by to give another one: 1.5 of "4 x 1.5 = 6", as if it were "6 / 4".

    So is a share: 0.2 of "20 % x 45000 = 9000". All three numbers are read in one convention.
    """
    product, stated = _PRODUCT.fullmatch(_joined(left).strip()), _NUMBER.match(_joined(right).strip())
    if product is None or stated is None:
        return
    for mark in (",", "."):
        end, one, two = (_read(number, mark) for number in (stated.group(), product["one"], product["two"]))
        if end is None or one is None or two is None or end not in known:
            continue
        for size, factor in ((two, one / 100),) if product["share"] else ((two, one), (one, two)):
            if size in known and size and end and near(size * factor, end, 1e-9):
                yield factor


def totals(left: str, known: set[float], factors: Collection[float] = frozenset()) -> Iterator[float]:
    """The value of a sum of known numbers, in either convention of writing them."""
    for mark in (",", "."):
        if (total := _total(_joined(left), known, factors, mark)) is not None:
            yield total


def any_holds(workings: Iterable[tuple[str, str]], known: set[float]) -> bool:
    """Whether one of the workings is a sum of known numbers that is right, whatever it gives."""
    return any(any(_results(list(totals(left, known)), right)) for left, right in workings)


def _any_gives(
    value: str, workings: Iterable[list[tuple[float, bool]]], fits: Callable[[Amount, float, bool], bool]
) -> bool:
    """Whether some working has a result for every amount of the value."""
    amounts = [fact.value for fact in extract(value).facts if isinstance(fact.value, Amount)]
    return bool(amounts) and any(
        all(any(fits(amount, *result) for result in results) for amount in amounts) for results in workings
    )


def _joined(text: str) -> str:
    """The text with thousands that blanks part as one number, and "120万" as 1200000."""
    joined = _SPACED.sub(lambda match: match.group().replace(" ", ""), text)
    return _MYRIADS.sub(_written_out, joined)


def _written_out(match: re.Match[str]) -> str:
    size = 10_000 if match["scale"] in "万萬" else 100_000_000
    return f"{float(match['number'].replace(',', '')) * size:.15g}"


def _is(amount: Amount, result: float, is_share: bool) -> bool:
    if is_share:
        return amount.unit == "%" and holds(amount, result / 100, result)
    scale = amount.base / amount.raw if amount.raw else 1.0
    return holds(amount, result * scale, result) or (amount.unit == "%" and holds(amount, result, result))


def _is_near(amount: Amount, result: float, is_share: bool, leeway: tuple[float, float]) -> bool:
    """Whether the result is about the amount, in the unit that it is counted in, or as a share."""
    low, high = leeway
    size, result = (amount.base, result / 100) if is_share else (amount.raw, result)
    alike = amount.unit == "%" or not is_share
    return alike and size > 0 and low * size - 1e-9 <= result <= high * size + 1e-9


def _results(totals: Sequence[float], right: str) -> Iterator[tuple[float, bool]]:
    """Numbers of the right side that are the sum on the left, as exactly as they are written; whether in per cent."""
    right = _joined(right)
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


def _total(left: str, known: set[float], factors: Collection[float], thousands: str) -> float | None:
    """The value of a sum of known numbers; None if it is none.

    Any number could be made of counts, or of numbers that cancel out: so at most one count and one share, to multiply
    or divide by, and what is subtracted or divided by stands nowhere else.
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
            listed = round(number, 9) in factors
            if match["share"] or not (listed or number in _COUNTS):
                return None
            tokens[-1] = _Factor(number) if listed and number < 1 else _Count(number)
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


class _Factor(float):
    """A share that a document has in other words."""


def _is_plain(tokens: Sequence[str | float]) -> bool:
    numbers = [token for token in tokens if isinstance(token, float)]
    counts = [place for place, token in enumerate(tokens) if isinstance(token, _Count)]
    factors = [place for place, token in enumerate(tokens) if isinstance(token, _Factor)]
    beside = {
        token
        for place in (*counts, *factors)
        for token in (*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2])
    }
    taken = [token for before, token in pairwise(tokens) if before in ("-", "/") and isinstance(token, float)]
    return (
        len(counts) + len(factors) < len(numbers)
        and max(len(counts), len(factors)) <= 1
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
