"""Intervals over groups."""

from __future__ import annotations

import math

import numpy as np
import pytest

from guardrail.evaluation import metrics
from guardrail.evaluation.bootstrap import estimates
from tests.support.judged_rows import columns

GOOD = [True, True, True, False, False, False]


SCORE = [0.9, 0.8, 0.3, 0.7, 0.2, 0.1]


def flagged(rows):
    return lambda weights: {"rate": metrics.share(~rows.passed, rows.good | ~rows.good, weights)}


def test_interval_of_a_share_of_single_rows_is_the_textbook_one():
    rows = columns([True] * 400, [0.0] * 100 + [1.0] * 300)
    estimate = estimates(rows.group, flagged(rows), 4000)["rate"]
    error = 1.96 * math.sqrt(0.25 * 0.75 / 400)
    assert estimate.value == 0.25
    assert estimate.low == pytest.approx(0.25 - error, abs=0.006)
    assert estimate.high == pytest.approx(0.25 + error, abs=0.006)


def test_rows_of_one_group_are_drawn_together():
    # 20 groups of 20 equal rows: as uncertain as 20 rows, not as 400.
    score = np.repeat([0.0] * 5 + [1.0] * 15, 20)
    rows = columns([True] * 400, score, group=np.repeat(np.arange(20), 20).tolist())
    estimate = estimates(rows.group, flagged(rows), 2000)["rate"]
    error = 1.96 * math.sqrt(0.25 * 0.75 / 20)
    assert estimate.high - estimate.low == pytest.approx(2 * error, rel=0.15)


def test_intervals_do_not_change_from_run_to_run():
    rows = columns(GOOD * 5, SCORE * 5)
    first, second = (estimates(rows.group, lambda w: metrics.headline(rows, w), 200) for _ in range(2))
    assert first == second
    assert first["auc"].low < first["auc"].value < first["auc"].high


def test_one_group_or_no_resamples_gives_no_interval():
    rows = columns(GOOD, SCORE, group=["g"] * 6)
    assert estimates(rows.group, flagged(rows), 100)["rate"].low is None
    rows = columns(GOOD, SCORE)
    assert estimates(rows.group, flagged(rows), 0)["rate"].low is None


def test_a_thousand_resamples_of_thousands_of_rows_are_a_few_large_steps():
    rng = np.random.default_rng(1)
    rows = columns(rng.random(3000) < 0.5, rng.random(3000))
    sizes = []

    def figures(weights):
        sizes.append(weights.size)
        return metrics.headline(rows, weights)

    estimates(rows.group, figures, 1000)
    assert len(sizes) <= 4
    assert max(sizes) <= 2_000_000
