"""Two ways of judging the same answers: where they differ, and whether that is more than chance.

Only the answers on which they differ tell the two apart: McNemar's test and the paired interval of
guardrail.evaluation.differences, which hold for few answers too.
"""

from __future__ import annotations

from dataclasses import dataclass

from guardrail.evaluation.differences import mcnemar, paired_difference


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
    difference = paired_difference(n, only_first, only_second)
    return Paired(
        n=n,
        both=both,
        only_first=only_first,
        only_second=only_second,
        difference=difference.value,
        low=difference.low,
        high=difference.high,
        p=mcnemar(only_first, only_second),
    )
