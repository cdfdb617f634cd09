"""The band of local scores in which a cascade asks its judge: the cheapest for a wanted error rate.

An answer whose lowest score lies below the band is flagged, one above it is delivered, and one in it is decided by the
judge. The band is chosen on half of the cases and measured on the other half, for it fits those it was chosen on.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from guardrail.evaluation.intervals import wilson

_STEPS = 40
"""Candidate ends of the band: so many quantiles of the scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalAnswer:
    """What the local engine made of a labelled answer.

    ``scores``: of its findings, 0..1; None = not verified, which goes to the judge. ``case``: answers of one case are
    never on both sides of the split.
    """

    supported: bool
    scores: tuple[float | None, ...]
    case: int

    def decided(self, low: float, high: float) -> bool | None:
        """Whether it is delivered; None where the judge decides."""
        read = [score for score in self.scores if score is not None]
        if any(score < low for score in read):
            return False
        return None if self.asks(low, high) else True

    def asks(self, low: float, high: float) -> bool:
        """Whether some finding of it goes to the judge: one call of the plan ``fast``."""
        return any(score is None or low <= score <= high for score in self.scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A band on some answers: share decided wrongly with its 95 % interval (Wilson), calls per answer, how many."""

    error: float
    error_from: float
    error_to: float
    calls: float
    n: int
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """The band, on the half that it was chosen on and on the other; ``reached``: some band keeps to the target."""

    low: float
    high: float
    reached: bool
    chosen_on: Measured
    held_out: Measured


def choose_band(answers: Sequence[LocalAnswer], target: float, *, judge_error: float = 0.0) -> Band:
    """The band with the fewest calls whose error is at most ``target``.

    Args:
        answers: Labelled answers, of at least two cases.
        target: Wanted share (0..1) of answers that are decided wrongly.
        judge_error: Share (0..1) of answers that the judge decides wrongly: measure it, or it is taken for perfect.

    Returns:
        The band; where none keeps to the target, the one with the least error.

    Raises:
        ValueError: the answers are of fewer than two cases.
    """
    order = sorted({answer.case for answer in answers})
    random.Random(0).shuffle(order)  # noqa: S311  right and wrong cases may take turns
    if len(order) < 2:
        raise ValueError("a band needs answers of at least two cases")
    chosen = set(order[::2])
    here = [answer for answer in answers if answer.case in chosen]
    there = [answer for answer in answers if answer.case not in chosen]
    ends = _ends(here)
    bands = [(low, high) for n, low in enumerate(ends) for high in ends[n:]]
    costs = {band: _rates(here, band, judge_error) for band in bands}
    fit = [band for band, (error, _) in costs.items() if error <= target]
    low, high = (
        min(fit, key=lambda band: (costs[band][1], costs[band][0], band[1] - band[0]))
        if fit
        else min(bands, key=lambda band: (costs[band], band))
    )
    return Band(
        low=low,
        high=high,
        reached=bool(fit),
        chosen_on=_measured(here, (low, high), judge_error),
        held_out=_measured(there, (low, high), judge_error),
    )


def _ends(answers: Sequence[LocalAnswer]) -> list[float]:
    scores = sorted({score for answer in answers for score in answer.scores if score is not None})
    step = max(1, len(scores) // _STEPS)
    return sorted({0.0, *(round(score, 4) for score in scores[::step]), 1.0})


def _rates(answers: Sequence[LocalAnswer], band: tuple[float, float], judge_error: float) -> tuple[float, float]:
    """Share decided wrongly, and calls per answer."""
    wrong = calls = 0.0
    for answer in answers:
        decided = answer.decided(*band)
        wrong += judge_error if decided is None else decided is not answer.supported
        calls += answer.asks(*band)
    return wrong / len(answers), calls / len(answers)


def _measured(answers: Sequence[LocalAnswer], band: tuple[float, float], judge_error: float) -> Measured:
    error, calls = _rates(answers, band, judge_error)
    cases = len({answer.case for answer in answers})
    # Answers of one case are alike: the interval counts cases, which is never too narrow.
    low, high = wilson(error * cases, cases)
    return Measured(
        error=error,
        error_from=low,
        error_to=high,
        calls=calls,
        n=len(answers),
        cases=cases,
    )
