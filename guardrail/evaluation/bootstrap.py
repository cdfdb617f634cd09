"""Confidence intervals by the bootstrap over groups: rows of one case (guardrail.evaluation.cases) are drawn together.

Percentile intervals (Efron and Tibshirani, An Introduction to the Bootstrap, chapter 13) with a fixed seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guardrail.evaluation.sample import Numbers

RESAMPLES = 1000
_SEED = 20240
_LEVEL = 95
_CELLS = 2_000_000
"""Weights held at once; more resamples are done in turns."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval; None where undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


def estimates(
    group: NDArray[np.intp], figures: Callable[[Numbers], dict[str, Numbers]], resamples: int = RESAMPLES
) -> dict[str, Estimate]:
    """Each figure on the rows as they are, with the interval over resampled groups.

    Args:
        group: Group number of each of the n rows, 0 to G-1.
        figures: Maps weights (R, n) to named figures (R,).
        resamples: Number of bootstrap samples; 0 gives no intervals.
    """
    point = figures(np.ones((1, len(group))))
    drawn = [figures(weights) for weights in _weights(group, resamples)]
    found = {}
    for name, value in point.items():
        spread = np.concatenate([part[name] for part in drawn]) if drawn else np.empty(0)
        found[name] = _estimate(float(value[0]), spread)
    return found


def _estimate(value: float, spread: Numbers) -> Estimate:
    defined = spread[np.isfinite(spread)]
    if not np.isfinite(value):
        return Estimate(None)
    if len(defined) <= len(spread) / 2:  # a class is missing from most resamples: no interval could be trusted
        return Estimate(value)
    tail = (100 - _LEVEL) / 2
    low, high = np.percentile(defined, [tail, 100 - tail])
    return Estimate(value, float(low), float(high))


def _weights(group: NDArray[np.intp], resamples: int) -> Iterator[Numbers]:
    """How often each row is drawn, (R, n) at a time."""
    groups = int(np.max(group)) + 1 if len(group) else 0
    if groups < 2:
        return
    rng = np.random.default_rng(_SEED)
    step = max(1, _CELLS // len(group))
    for start in range(0, resamples, step):
        draws = rng.multinomial(groups, np.full(groups, 1 / groups), size=min(step, resamples - start))
        yield draws[:, group].astype(float)
