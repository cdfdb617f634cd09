"""Metrics on weighted rows. Each takes weights of shape (R, n) and returns R values: one call serves a whole bootstrap.

The point estimate is the case R = 1 with all weights 1. An answer is flagged where it is not passed, or its score is
below a threshold; errors (labels other than SUPPORTED) are what is to be found, supported rows flagged are false
alarms. A value that is undefined, since a class is missing, is NaN.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guardrail.evaluation.sample import Flags, Numbers, Sample

ALLOWED_FALSE_ALARMS = 0.05
BINS = 10
_ROUNDING = 1e-12


class Curve(NamedTuple):
    """ROC at each threshold, lowest first: ``thresholds`` (k+1,), ``found`` and ``alarms`` (R, k+1), shares 0..1.

    At threshold j all rows with a score below it are flagged: none at the first, all at the last.
    """

    thresholds: Numbers
    found: Numbers
    alarms: Numbers


def ratio(part: Numbers, whole: Numbers) -> Numbers:
    """Part of whole; NaN where the whole is 0."""
    part, whole = np.broadcast_arrays(part, whole)
    shares: Numbers = np.full(part.shape, np.nan)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares


def share(of: Flags, among: Flags, weights: Numbers) -> Numbers:
    """Weighted share of the rows ``among`` that are also ``of``."""
    return ratio(weights @ (of & among).astype(float), weights @ among.astype(float))


def curve(good: Flags, score: Numbers, weights: Numbers) -> Curve:
    """The ROC curve of flagging low scores; equal scores are one step."""
    order = np.argsort(score, kind="stable")
    values, starts = np.unique(score[order], return_index=True)
    weights = weights[:, order]
    wrong = ~good[order]

    def below(mask: Flags) -> Numbers:
        steps = np.add.reduceat(weights * mask, starts, axis=1)
        total = np.concatenate([np.zeros((len(weights), 1)), np.cumsum(steps, axis=1)], axis=1)
        return ratio(total, total[:, -1:])

    between = (values[1:] + values[:-1]) / 2
    thresholds = np.concatenate([values[:1], between, [np.nextafter(values[-1], np.inf)]])
    return Curve(thresholds, below(wrong), below(~wrong))


def area(roc: Curve) -> Numbers:
    """ROC AUC: the chance that an error scores below a supported row, ties counted half."""
    widths = np.diff(roc.alarms, axis=1)
    return np.asarray((widths * (roc.found[:, 1:] + roc.found[:, :-1]) / 2).sum(axis=1))


def balanced(roc: Curve) -> Numbers:
    """Balanced accuracy at every threshold, shape (R, k+1)."""
    return (roc.found + 1 - roc.alarms) / 2


def recall_at(roc: Curve, allowed: float = ALLOWED_FALSE_ALARMS) -> Numbers:
    """The largest share of errors found by a threshold that flags at most ``allowed`` of the supported rows."""
    found = np.where(roc.alarms <= allowed + _ROUNDING, roc.found, -np.inf).max(axis=1)
    return np.where(np.isfinite(found), found, np.nan)


def f1_of_errors(good: Flags, passed: Flags, weights: Numbers) -> Numbers:
    """Harmonic mean of precision and recall of the flags; NaN without errors."""
    hits = weights @ (~good & ~passed).astype(float)
    flagged, wrong = weights @ (~passed).astype(float), weights @ (~good).astype(float)
    return np.where(wrong > 0, ratio(2 * hits, flagged + wrong), np.nan)


def mass_bins(score: Numbers, bins: int = BINS) -> NDArray[np.intp]:
    """Bin (0 to bins-1) of each row, of equal numbers of rows as far as ties allow: equal scores share a bin."""
    values, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2
    place = np.floor(bins * middle / max(len(score), 1)).astype(np.intp)
    return np.asarray(np.clip(place, 0, bins - 1)[inverse] if len(values) else inverse, dtype=np.intp)


def calibration_error(good: Flags, score: Numbers, weights: Numbers, bins: NDArray[np.intp]) -> Numbers:
    """Expected calibration error: mean gap between score and share supported over the given bins, by their weight."""
    member = (bins[:, None] == np.arange(BINS)[None, :]).astype(float)
    gap = np.abs((weights * (score - good)) @ member).sum(axis=1)
    return ratio(gap, weights.sum(axis=1))


def brier(good: Flags, score: Numbers, weights: Numbers) -> Numbers:
    """Mean squared difference between score and label (1 supported, 0 not)."""
    return ratio(weights @ (score - good) ** 2, weights.sum(axis=1))


def headline(rows: Sample, weights: Numbers) -> dict[str, Numbers]:
    """All figures of a sample that get a confidence interval, by name; each of shape (R,)."""
    if not len(rows):
        return {name: np.full(len(weights), np.nan) for name in NAMES}
    found = share(~rows.passed, ~rows.good, weights)
    alarms = share(~rows.passed, rows.good, weights)
    roc = curve(rows.good, rows.score, weights)
    known = rows.where(rows.judged)
    known_weights = weights[:, rows.judged]
    values = (
        (found + 1 - alarms) / 2,
        balanced(roc).max(axis=1),
        area(roc),
        f1_of_errors(rows.good, rows.passed, weights),
        found,
        alarms,
        recall_at(roc),
        calibration_error(known.good, known.score, known_weights, mass_bins(known.score)),
        brier(known.good, known.score, known_weights),
        area(curve(rows.good, rows.overlap, weights)),
    )
    return dict(zip(NAMES, values, strict=True))


NAMES = (
    "balanced_accuracy",
    "best_balanced_accuracy",
    "auc",
    "f1",
    "error_recall",
    "false_alarm_rate",
    "recall_at_5",
    "calibration_error",
    "brier",
    "overlap_auc",
)
"""Names of the figures of ``headline``, in its order."""
