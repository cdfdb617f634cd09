"""Whether a number of the claim can have been worked out from others, and how easily any number like it could be.

Answers compute: totals, shares, doses, fees for the reader's own case. A number that no passage has is mostly such a
result; with enough numbers at hand, though, sums and products of two or three of them reach almost any small number.
So each derivation is tried on numbers of the same size and precision, too: the share of them that would follow as well
is the chance of a coincidence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from guardrail.text.facts.arithmetic import near
from guardrail.text.facts.fact import Amount, Bound, Fact
from guardrail.text.facts.units import DAY, MONEY

_POOL = 24
"""Numbers to compute with at most: the steps below grow with their square."""

_OTHERS = 24
"""Numbers like the claim's that are tried for comparison."""

_FACTOR = frozenset({"", "x", "%"})
_TIMES = (1.0, 60.0, 3600.0, DAY)
_DIGITS = re.compile(r"\d[\d,.]*\d|\d")
_PERIODS = (
    ((r"twice|double[sd]?|half|halve[sd]?|both|return|each\sway|there\sand\sback",), 2.0),
    ((r"month\w*", r"year\w*|annual\w*"), 12.0),
    ((r"days?|daily", r"week\w*"), 7.0),
)
"""What words of the claim may multiply or divide by."""


def coincidence(fact: Fact, text: str, known: Iterable[Amount]) -> float:
    """How likely it is that a number follows from others by accident: 0..1, and 1 where it does not follow.

    Tried are one step (sum, difference, product, quotient, a share of, a share more or less), then two.

    Args:
        fact: The claim's number; its value is an Amount.
        text: The claim.
        known: Numbers of passages, question and claim to compute with, without the number itself.
    """
    if not isinstance(fact.value, Amount) or fact.value.label or fact.value.base <= 0:
        return 1.0
    wanted = fact.value
    step = _step(fact.surface, wanted)
    own, factors, shares = _sorted_out(wanted, known, text)
    one = sorted(_one_step(wanted, own, factors, shares))
    others = list(_like(wanted.base, step))
    rounded = max(step / 2, 0.03 * wanted.base if wanted.bound is not Bound.EXACT else 0.0)

    def chance(reached: Callable[[float], bool]) -> float:
        return (1 + sum(map(reached, others))) / (1 + len(others)) if reached(wanted.base) else 1.0

    def by_steps(slack: float) -> float:
        first = chance(lambda value: _has(one, value, slack))
        return first if first < 1.0 else chance(lambda value: _in_two(value, slack, one, own, factors, shares))

    return min(by_steps(1e-6 * wanted.base), by_steps(rounded))


def _in_two(
    value: float,
    slack: float,
    one: Sequence[float],
    own: Sequence[float],
    factors: Sequence[float],
    shares: Sequence[float],
) -> bool:
    """Whether a second step from what one step gives leads to the value."""
    return (
        any(_has(one, value - a, slack) or _has(one, value + a, slack) for a in own)
        or any(_has(one, value / f, slack / f) or _has(one, value * f, slack * f) for f in factors)
        or any(_has(one, value / s, slack / s) for share in shares for s in (share, 1 - share, 1 + share))
        or any(_has(one, value - a * f, slack) for a in own[:12] for f in factors[:12])
    )


def _step(surface: str, amount: Amount) -> float:
    """The unit of the last digit that counts, in the base unit: 0.01 of "276.60", 1,000 of "21,000"."""
    scale = amount.base / amount.raw if amount.raw else 1.0
    written = _DIGITS.search(surface)
    digits = written.group().replace(",", "") if written else ""
    whole, _, decimals = digits.partition(".")
    if decimals.isdigit() and near(float(f"{whole}.{decimals}"), amount.raw, 1e-9):
        return scale * 10.0 ** -len(decimals)
    size = 1
    while amount.raw >= 10 * size and amount.raw % (10 * size) == 0:
        size *= 10
    return scale * size


def _like(value: float, step: float) -> Iterator[float]:
    """Other numbers of the same size and precision."""
    many = max(1, round(value * 0.5 / step / (_OTHERS / 2)))
    for turn in range(1, _OTHERS // 2 + 1):
        for other in (value - turn * many * step, value + turn * many * step):
            if value * 0.49 <= other <= value * 1.8:
                yield other


def _sorted_out(wanted: Amount, known: Iterable[Amount], text: str) -> tuple[list[float], list[float], list[float]]:
    """Numbers of the claim's unit, factors, and shares (0..1), each once and not too many."""
    usable = [a for a in known if (a.unit or not a.label) and a.base > 0 and not _is_same(a, wanted)]
    usable.sort(key=lambda a: (a.unit != wanted.unit, a.unit, a.base))  # whichever passage comes first
    pool = list({(a.unit, _short(a.base)): a for a in usable}.values())[: 2 * _POOL]
    alike = [a for a in pool if a.unit == wanted.unit or (a.unit in MONEY and wanted.unit in MONEY)]
    bare = [a for a in pool if not a.unit]
    size = wanted.base / wanted.raw if wanted.raw else 1.0
    own = [a.base for a in alike] + [a.raw * size for a in bare if a not in alike]
    if not wanted.unit:
        own += [a.raw for a in pool if a.unit and a.unit not in {"%", "x"}]
    if wanted.unit in MONEY:
        own += [a.raw / 100 for a in bare if re.search(r"\b(?:cents?|pence)\b|¢", text)]
    factors = [a.raw for a in pool if a.unit != "%" and not (a.unit == wanted.unit and a.unit)]
    factors += [a.base / t for a in pool if a.unit == "s" and wanted.unit != "s" for t in _TIMES[1:] if a.base > t]
    factors += [
        factor
        for words, factor in _PERIODS
        if all(re.search(rf"\b(?:{each})\b", text, re.IGNORECASE) for each in words)
    ]
    shares = [a.base for a in pool if a.unit == "%" and 0 < a.base < 1]
    return _first(own), _first(f for f in factors if f not in (0.0, 1.0)), _first(shares)


def _is_same(one: Amount, two: Amount) -> bool:
    return one.unit == two.unit and near(one.base, two.base, 1e-9)


def _first(values: Iterable[float]) -> list[float]:
    return list(dict.fromkeys(map(_short, values)))[:_POOL]


def _short(value: float) -> float:
    """Without the noise of the last binary digits, at any size."""
    return float(f"{value:.9g}")


def _one_step(
    wanted: Amount, own: Sequence[float], factors: Sequence[float], shares: Sequence[float]
) -> Iterator[float]:
    """What one sum, difference, product, quotient or share gives, in the claim's unit."""
    for a, b in combinations(own, 2):
        yield from (a + b, abs(a - b))
    for a in own:
        yield from (value for f in factors for value in (a * f, a / f))
        yield from (value for s in shares for value in (a * s, a * (1 - s), a * (1 + s)))
    if wanted.unit == "%":
        yield from (1 - s for s in shares)
        for low, high in (sorted(pair) for pair in combinations(factors, 2)):
            yield from (low / high, (high - low) / high, (high - low) / low)
    elif wanted.unit in _FACTOR:
        for low, high in (sorted(pair) for pair in combinations([*own, *factors], 2)):
            yield from (high / low, low * high)


def _has(values: Sequence[float], wanted: float, slack: float) -> bool:
    """Whether sorted values have one within the slack."""
    if wanted <= 0:
        return False
    slack += 1e-9 * wanted
    at = bisect_left(values, wanted - slack)
    return at < len(values) and values[at] <= wanted + slack
