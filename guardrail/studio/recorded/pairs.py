"""Two ways of judging the same answers: where they differ, and whether that is more than chance.

Only the answers on which they differ tell the two apart (McNemar, Psychometrika 12, 1947). The test is the exact
binomial one, at any number of answers: it needs no approximation, and the logarithm of the gamma function keeps it
exact enough where factorials overflow. The interval of the paired difference is Bonett and Price's adjusted Wald
interval (British Journal of Mathematical and Statistical Psychology 65, 2012), which holds for few answers too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_Z = 1.959964


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Answers that both judged.

    Attributes:
        n: How many.
        both: Called faulty by both.
        only_first: Called faulty by the first alone.
        only_second: Called faulty by the second alone.
        difference: Share that the second calls faulty minus that of the first (-1..1); None without answers.
        low: Lower end of its 95 % interval.
        high: Upper end.
        p: Two-sided exact p value of McNemar's test: how often chance alone would tell them so far apart.
    """

    n: int
    both: int
    only_first: int
    only_second: int
    difference: float | None
    low: float | None
    high: float | None
    p: float | None


def paired(both: int, only_first: int, only_second: int, neither: int) -> Paired:
    """The comparison of these four counts."""
    n = both + only_first + only_second + neither
    if n == 0:
        return Paired(n=0, both=0, only_first=0, only_second=0, difference=None, low=None, high=None, p=None)
    gained, lost = (only_second + 1) / (n + 2), (only_first + 1) / (n + 2)
    half = _Z * math.sqrt(max(0.0, gained + lost - (gained - lost) ** 2) / (n + 2))
    middle = gained - lost
    return Paired(
        n=n,
        both=both,
        only_first=only_first,
        only_second=only_second,
        difference=(only_second - only_first) / n,
        low=max(-1.0, middle - half),
        high=min(1.0, middle + half),
        p=mcnemar(only_first, only_second),
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """Two-sided exact p value: of fair coins as many as there are differences, how often one side has so few."""
    tosses, fewer = only_first + only_second, min(only_first, only_second)
    if only_first == only_second:
        return 1.0
    return min(1.0, 2 * math.fsum(math.exp(_log_chance(tosses, heads)) for heads in range(fewer + 1)))


def _log_chance(tosses: int, heads: int) -> float:
    """Logarithm of the chance of so many heads of fair coins."""
    ways = math.lgamma(tosses + 1) - math.lgamma(heads + 1) - math.lgamma(tosses - heads + 1)
    return ways - tosses * math.log(2)
