"""A share of a whole population from labels of a stratified sample, and how many labels each stratum should get.

The share is that of stratified sampling, the sum of W_h p_h (Cochran, Sampling Techniques, 3rd ed. 1977, section 5.3).
Where the strata are made from a model's verdicts and scores it uses the model as prediction-powered inference does
(Angelopoulos et al. 2023, Science 382): a good model makes strata that hardly vary, a bad one costs only precision.

The interval inverts a score test: it holds each share at which the estimate would not be surprising, its variance
taken from the strata's shares that are the likeliest at that share (Miettinen and Nurminen 1985, Statistics in Medicine
4, for two groups; here for a weighted sum). With one stratum it is Wilson's. Unlike the usual one of the estimated
variance it does not shrink to nothing where the few labels of a large stratum agree. benchmarks/audit_rate.py says how
often it holds the truth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.evaluation.intervals import Z

Numbers = NDArray[np.float64]

_ALL = 1e6
"""Of a stratum that is labelled to the last unit."""

_PATH = np.linspace(-8.0, 28.0, 145)
"""Logarithms of the multiplier."""
_REFINED = 30


def share(hits: ArrayLike, labelled: ArrayLike, sizes: ArrayLike) -> tuple[Numbers, Numbers, Numbers]:
    """The share of hits in the population, and its 95 % interval.

    Args:
        hits: Hits among the labelled units of each stratum, shape (..., H).
        labelled: How many units were labelled, drawn at random within the stratum, shape (..., H); at least one.
        sizes: Units of each stratum, shape (H,); all of a stratum may be labelled, which leaves no doubt about it.

    Returns:
        Share, lower and upper end, each of shape (...).

    Raises:
        ValueError: a stratum has no label, more labels than units, or more hits than labels.
    """
    found, drawn = np.broadcast_arrays(np.asarray(hits, float), np.asarray(labelled, float))
    whole = np.asarray(sizes, float)
    if not (np.all(drawn >= 1) and np.all(drawn <= whole) and np.all(found >= 0) and np.all(found <= drawn)):
        raise ValueError("each stratum needs 0 <= hits <= labelled <= size, and a label")
    weight = np.broadcast_to(whole / whole.sum(), found.shape)
    # As many labels of an endless stratum as would tell as much: the finite population correction (Cochran, 2.6).
    more = np.where(drawn < whole, (whole - 1) / np.maximum(whole - drawn, 1e-9), _ALL)
    hits_of, drawn_of = found * more, drawn * more
    estimate = (weight * found / drawn).sum(-1)
    low = np.minimum(estimate, _end(-1, hits_of, drawn_of, weight, estimate))
    high = np.maximum(estimate, _end(1, hits_of, drawn_of, weight, estimate))
    return estimate, low, high


def _end(side: int, hits: Numbers, drawn: Numbers, weight: Numbers, estimate: Numbers) -> Numbers:
    """The farthest share that is not rejected, on the path of the likeliest shares as the multiplier pulls them away.

    The test may reject on the way and accept again, where one stratum is at its end before the next one moves; so the
    path is walked in steps, and the last that is accepted is refined by bisection.
    """

    def at(place: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
        shares = _likeliest(hits, drawn, side * np.exp(place)[..., None] * weight)
        total = (weight * shares).sum(-1)
        variance = (weight**2 * shares * (1 - shares) / drawn).sum(-1)
        return total, (total - estimate) ** 2 <= Z * Z * variance

    near = np.full(estimate.shape, _PATH[0])
    for step in _PATH:
        place = np.full(estimate.shape, step)
        near = np.where(at(place)[1], place, near)
    far = near + (_PATH[1] - _PATH[0])
    for _ in range(_REFINED):
        middle = (near + far) / 2
        within = at(middle)[1]
        near, far = np.where(within, middle, near), np.where(within, far, middle)
    ends: Numbers = at(near)[0]
    return ends


def _likeliest(hits: Numbers, drawn: Numbers, pull: Numbers) -> Numbers:
    """Shares of the strata that maximise likelihood + pull * share: a root of pull p² + (drawn - pull) p - hits = 0."""
    up = pull > 0
    count = np.where(up, hits, drawn - hits)  # downwards it is the same for the share of the others
    rest = drawn - np.abs(pull)
    root = np.sqrt(rest * rest + 4 * np.abs(pull) * count)
    # Of the two forms of the root the one that loses no digits.
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(rest > 0, 2 * count / (rest + root), (root - rest) / (2 * np.abs(pull)))
    return np.asarray(np.where(up, found, 1 - found).clip(0.0, 1.0))


def allocate(sizes: Sequence[int], expected: Sequence[float], labels: int) -> list[int]:
    """How many labels each stratum gets: Neyman's allocation (Cochran, section 5.5), with a floor.

    Args:
        sizes: Units of each stratum, at least one.
        expected: The share of hits that the model expects in each, 0..1; wrong ones cost precision only.
        labels: In all; at least one per stratum.

    Returns:
        Numbers that sum to ``labels``, or to all units where there are fewer. None is below half of what equal parts
        would be (or the stratum's size), for nobody knows that a stratum does not vary before it was looked at.

    Raises:
        ValueError: there are fewer labels than strata.
    """
    if labels < len(sizes):
        raise ValueError(f"{len(sizes)} strata need at least as many labels, got {labels}")
    floor = max(1, labels // (2 * len(sizes)))
    given = [min(size, floor) for size in sizes]
    guessed = [min(0.95, max(0.05, one)) for one in expected]
    wanted = [size * (one * (1 - one)) ** 0.5 for size, one in zip(sizes, guessed, strict=True)]
    for _ in range(min(labels, sum(sizes)) - sum(given)):
        # The next label goes where it lowers the variance most (Wright 2012): exact, whole numbers, no rounding.
        gains = [
            -1.0 if n == size else want * want / (n * (n + 1))
            for n, size, want in zip(given, sizes, wanted, strict=True)
        ]
        given[gains.index(max(gains))] += 1
    return given
