"""Metrics against values computed by hand, and against slow definitions written out here."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.evaluation import metrics
from tests.support.judged_rows import columns

GOOD = [True, True, True, False, False, False]


SCORE = [0.9, 0.8, 0.3, 0.7, 0.2, 0.1]


def figures(rows, weights=None):
    weights = np.ones((1, len(rows))) if weights is None else weights
    return {name: float(value[0]) for name, value in metrics.headline(rows, weights).items()}


def test_figures_by_hand():
    # Flagged: 0.3 (supported), 0.2, 0.1. Of three errors two are found, of three supported rows one is flagged.
    found = figures(columns(GOOD, SCORE, overlap=[0.5] * 6))
    assert found["error_recall"] == pytest.approx(2 / 3)
    assert found["false_alarm_rate"] == pytest.approx(1 / 3)
    assert found["balanced_accuracy"] == pytest.approx(2 / 3)
    assert found["f1"] == pytest.approx(2 * 2 / (3 + 3))
    # Of nine pairs only (0.3, 0.7) stands the wrong way round.
    assert found["auc"] == pytest.approx(8 / 9)
    # At 0.75: all errors flagged and one supported row; at 0.25: two errors and none.
    assert found["best_balanced_accuracy"] == pytest.approx(5 / 6)
    assert found["recall_at_5"] == pytest.approx(2 / 3)
    assert found["brier"] == pytest.approx((0.01 + 0.04 + 0.49 + 0.49 + 0.04 + 0.01) / 6)
    assert found["overlap_auc"] == pytest.approx(0.5)


def test_calibration_error_by_hand():
    # 20 rows, two a bin: bin k holds score k/10, and in the upper five bins one of two is supported, below none.
    score = np.repeat(np.arange(10) / 10, 2)
    good = np.array([False] * 10 + [True, False] * 5)
    bins = metrics.mass_bins(score)
    assert bins.tolist() == np.repeat(np.arange(10), 2).tolist()
    gaps = [0.0, 0.1, 0.2, 0.3, 0.4] + [abs(k / 10 - 0.5) for k in range(5, 10)]
    assert metrics.calibration_error(good, score, np.ones((1, 20)), bins)[0] == pytest.approx(sum(gaps) / 10)


def test_equal_scores_share_a_bin():
    assert set(metrics.mass_bins(np.full(50, 0.3))) == {5}
    bins = metrics.mass_bins(np.array([0.1] * 30 + [0.9] * 70))
    assert len(set(bins[:30])) == 1
    assert len(set(bins[30:])) == 1


def test_rows_nobody_judged_are_not_in_the_calibration():
    rows = columns(GOOD, [0.0, *SCORE[1:]], judged=[False] + [True] * 5)
    assert figures(rows)["brier"] == pytest.approx((0.04 + 0.49 + 0.49 + 0.04 + 0.01) / 5)


def test_five_percent_of_forty_supported_rows_are_two():
    # The lowest scores: supported, error, supported, error, supported, error. Two supported rows may be flagged.
    score = [0.00, 0.01, 0.02, 0.03, 0.04, 0.05] + [0.9] * 37
    good = [True, False, True, False, True, False] + [True] * 37
    assert figures(columns(good, score))["recall_at_5"] == pytest.approx(2 / 3)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_f1_is_the_harmonic_mean_of_precision_and_recall(rows):
    hits = sum(not good and not passed for good, passed in rows)
    flags, errors = sum(not passed for _, passed in rows), sum(not good for good, _ in rows)
    found = figures(columns([g for g, _ in rows], [0.5] * len(rows), passed=[p for _, p in rows]))["f1"]
    if not errors:
        assert math.isnan(found)
    elif not hits:
        assert found == 0
    else:
        assert found == pytest.approx(2 / (flags / hits + errors / hits))


@pytest.mark.parametrize("good", [[True] * 4, [False] * 4])
def test_one_class_alone_leaves_undefined_what_needs_both(good):
    found = figures(columns(good, [0.1, 0.2, 0.8, 0.9]))
    for name in ("balanced_accuracy", "best_balanced_accuracy", "auc", "recall_at_5"):
        assert math.isnan(found[name])
    assert not math.isnan(found["false_alarm_rate" if good[0] else "error_recall"])


def test_no_rows_at_all():
    assert all(math.isnan(value) for value in figures(columns([], [])).values())


labelled = st.lists(st.tuples(st.booleans(), st.integers(0, 8)), min_size=2, max_size=25).filter(
    lambda rows: len({good for good, _ in rows}) == 2
)


def slowly(good, score):
    """AUC over pairs; best balanced accuracy and recall at 5 % false alarms over all thresholds."""
    right = [s for g, s in zip(good, score, strict=True) if g]
    wrong = [s for g, s in zip(good, score, strict=True) if not g]
    auc = sum((r > w) + 0.5 * (r == w) for r in right for w in wrong) / (len(right) * len(wrong))
    best = recall = 0.0
    for threshold in [*score, 2.0]:
        alarms = sum(r < threshold for r in right) / len(right)
        found = sum(w < threshold for w in wrong) / len(wrong)
        best = max(best, (found + 1 - alarms) / 2)
        if alarms <= 0.05:
            recall = max(recall, found)
    return auc, best, recall


@given(labelled)
def test_curve_figures_equal_the_slow_definitions(rows):
    good, score = [g for g, _ in rows], [s / 8 for _, s in rows]
    found = figures(columns(good, score))
    auc, best, recall = slowly(good, score)
    assert found["auc"] == pytest.approx(auc)
    assert found["best_balanced_accuracy"] == pytest.approx(best)
    assert found["recall_at_5"] == pytest.approx(recall)


@given(labelled)
def test_the_best_threshold_reaches_the_best_balanced_accuracy(rows):
    good, score = np.array([g for g, _ in rows]), np.array([s / 8 for _, s in rows])
    roc = metrics.curve(good, score, np.ones((1, len(rows))))
    values = metrics.balanced(roc)[0]
    for threshold, value in zip(roc.thresholds, values, strict=True):
        passed = score >= threshold
        assert ((passed[good]).mean() + (~passed[~good]).mean()) / 2 == pytest.approx(value)


@given(labelled, st.data())
def test_a_weight_is_a_number_of_copies(rows, data):
    copies = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    good, score = [g for g, _ in rows], [s / 8 for _, s in rows]
    weighted = figures(columns(good, score), np.array([copies], dtype=float))
    again = [(g, s) for (g, s), times in zip(zip(good, score, strict=True), copies, strict=True) for _ in range(times)]
    copied = figures(columns([g for g, _ in again], [s for _, s in again]))
    for name in metrics.NAMES:
        if name != "calibration_error":  # its bins are those of the sample as it is
            assert weighted[name] == pytest.approx(copied[name], nan_ok=True), name
