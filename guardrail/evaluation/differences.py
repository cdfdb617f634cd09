"""The difference of two shares with its 95 % interval: of two groups, or of the same units judged twice."""

from __future__ import annotations

import math
from dataclasses import dataclass

from guardrail.evaluation.intervals import Z, wilson

_EXACT = 1000
"""Units that changed up to which the test adds up the binomial distribution."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The second share less the first, -1..1, with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def certain(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


def difference(hits: int, total: int, hits_then: int, total_then: int) -> Difference:
    """Of two groups with other units: the first two numbers are of the first group.

    Newcombe's hybrid of Wilson's intervals (Newcombe 1998, Statistics in Medicine 17, method 10).

    Raises:
        ValueError: a group is empty, or has more hits than units.
    """
    first, then = hits / total, hits_then / total_then
    low, high = wilson(hits, total)
    low_then, high_then = wilson(hits_then, total_then)
    value = then - first
    return Difference(
        value, value - math.hypot(then - low_then, high - first), value + math.hypot(high_then - then, first - low)
    )


def paired_difference(total: int, only_first: int, only_then: int) -> Difference:
    """Of the same units twice: how many were hits only the first time, and only the second.

    Adjusted Wald interval (Bonett and Price 2012, Journal of Educational and Behavioral Statistics 37).

    Raises:
        ValueError: there is no unit, or more changed than there are.
    """
    if total < 1 or only_first + only_then > total:
        raise ValueError(f"{only_first} and {only_then} of {total} units cannot have changed")
    gone, new = (only_first + 1) / (total + 2), (only_then + 1) / (total + 2)
    half = Z * math.sqrt((gone + new - (new - gone) ** 2) / (total + 2))
    value = (only_then - only_first) / total
    middle = new - gone
    return Difference(value, max(-1.0, min(value, middle - half)), min(1.0, max(value, middle + half)))


def mcnemar(only_first: int, only_then: int) -> float:
    """The two-sided p-value that as many changed one way as the other (McNemar 1947, Psychometrika 12).

    Exact for up to 1000 that changed, else by the normal distribution with a continuity correction.
    """
    changed, least = only_first + only_then, min(only_first, only_then)
    if changed <= _EXACT:
        tail = sum(math.comb(changed, n) for n in range(least + 1))
        return min(1.0, float(tail * 2 / (1 << changed)))
    return math.erfc(max(0.0, abs(only_first - only_then) - 1) / math.sqrt(2 * changed))
