"""Shares of answers with 95 % intervals, from records of which each stands for one answer or for several.

A store keeps all faulty answers and a sample of the others; a record's weight is 1 / its chance of being kept. The
share is the weighted one (Hájek). Its variance is linearized, which takes into account that the heavy records are the
supported ones; the interval is Wilson's with the number of answers that would give this variance without weights
(Korn and Graubard, Survey Methodology 24, 1998). Two shares are compared by Newcombe's method 10 (Statistics in
Medicine 17, 1998), which puts the two Wilson intervals together.
"""

from __future__ import annotations

from dataclasses import dataclass

from guardrail.evaluation.differences import between
from guardrail.evaluation.intervals import wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """Some records: how many, the answers that they stand for (sum of weights), and the sum of squared weights."""

    records: int = 0
    answers: float = 0.0
    squares: float = 0.0

    def __add__(self, other: Weighed) -> Weighed:
        return Weighed(
            records=self.records + other.records,
            answers=self.answers + other.answers,
            squares=self.squares + other.squares,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share (0..1) of ``answers`` with its interval, from ``n`` records; None where there are no records."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    answers: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Second share minus first (-1..1) with its interval; None where one of them has no records."""

    value: float | None
    low: float | None
    high: float | None

    @property
    def clear(self) -> bool:
        """The interval leaves out 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def share(hits: Weighed, others: Weighed) -> Share:
    """The share of ``hits`` among both."""
    both = hits + others
    if both.records == 0 or both.answers <= 0:
        return Share(value=None, low=None, high=None, n=0, answers=0.0)
    value = hits.answers / both.answers
    n = effective(hits, others)
    low, high = wilson(min(n, value * n), n)
    return Share(value=value, low=low, high=high, n=both.records, answers=both.answers)


def effective(hits: Weighed, others: Weighed) -> float:
    """Answers without weights that would tell as much; at a share of 0 or 1 the number of records."""
    both = hits + others
    value = hits.answers / both.answers
    variance = (hits.squares * (1 - value) ** 2 + others.squares * value**2) / both.answers**2
    if hits.records == 0 or others.records == 0 or variance <= 0:
        return float(both.records)
    return value * (1 - value) / variance


def difference(first: Share, second: Share) -> Difference:
    """What changed from the first share to the second, of different answers."""
    if first.value is None or first.low is None or first.high is None:
        return Difference(value=None, low=None, high=None)
    if second.value is None or second.low is None or second.high is None:
        return Difference(value=None, low=None, high=None)
    found = between((first.value, first.low, first.high), (second.value, second.low, second.high))
    return Difference(value=found.value, low=found.low, high=found.high)
