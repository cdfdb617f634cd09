"""The difference of two shares with its 95 % interval: of two groups, or of the same units judged twice."""

from __future__ import annotations

import math
from dataclasses import dataclass

from guardrail.evaluation.intervals import Z, wilson


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
    return between((first, *wilson(hits, total)), (then, *wilson(hits_then, total_then)))


def between(first: tuple[float, float, float], then: tuple[float, float, float]) -> Difference:
    """Newcombe's hybrid of two intervals (see ``difference``); each is share, lower and upper end."""
    (share, low, high), (share_then, low_then, high_then) = first, then
    value = share_then - share
    down, up = math.hypot(share_then - low_then, high - share), math.hypot(high_then - share_then, share - low)
    return Difference(value, max(-1.0, value - down), min(1.0, value + up))


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

    Exact at any number, by the binomial distribution: of fair coins as many as changed, how often so few fall one way.
    """
    tosses, fewer = only_first + only_then, min(only_first, only_then)
    if only_first == only_then:
        return 1.0
    return min(1.0, 2 * math.fsum(math.exp(_log_chance(tosses, heads)) for heads in range(fewer + 1)))


def _log_chance(tosses: int, heads: int) -> float:
    """Logarithm of the chance of so many heads of fair coins."""
    ways = math.lgamma(tosses + 1) - math.lgamma(heads + 1) - math.lgamma(tosses - heads + 1)
    return ways - tosses * math.log(2)
