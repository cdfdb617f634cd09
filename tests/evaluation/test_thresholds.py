"""What each threshold does to labelled answers, counted by hand."""

from __future__ import annotations

import math

import pytest

from guardrail.evaluation.conformal import Outcome
from guardrail.evaluation.thresholds import GRID, NO_TYPE, held_back, slices
from tests.support.judged_rows import A, C, N, S, U, row

JUDGED = [
    row(S, S, 0.9),
    row(S, S, 0.4, lang="zh"),
    row(C, S, 0.6, error_name="contradiction"),
    row(C, S, 0.2, error_name="contradiction", lang="zh"),
    row(U, N),
    row(A, A),
]
THRESHOLDS = (0.0, 0.3, 0.6, 0.7, 1.0)


def test_an_answer_is_held_back_below_the_threshold_and_not_at_it() -> None:
    whole = slices(JUDGED, range(6), THRESHOLDS)[0]
    assert (whole.kind, whole.name) == ("all", "")
    assert whole.found.held == (1, 2, 2, 3, 3)  # what was not judged is never delivered
    assert whole.alarms.held == (0, 0, 1, 1, 2)
    assert whole.held.held == (1, 2, 3, 4, 5)
    assert (whole.found.n, whole.alarms.n, whole.held.n) == (3, 2, 5)  # what declines is left out


def test_slices_are_by_error_type_the_most_frequent_first_and_by_language() -> None:
    found = slices(JUDGED, range(6), THRESHOLDS)
    assert [(one.kind, one.name) for one in found] == [
        ("all", ""), ("type", "contradiction"), ("type", NO_TYPE), ("language", "en"), ("language", "zh"),
    ]  # fmt: skip
    assert (found[1].found.held, found[1].alarms.n) == ((0, 1, 1, 2, 2), 0)
    assert found[2].found.held == (1, 1, 1, 1, 1)
    assert (found[4].found.n, found[4].alarms.n) == (1, 1)
    assert [one.kind for one in slices(JUDGED[:1], [0], THRESHOLDS)] == ["all"]  # one language is none to cut by


def test_answers_of_one_case_make_the_interval_wider() -> None:
    outcomes = [Outcome(limit=0.3, wrong=True, case=n) for n in range(20)]
    alike = [Outcome(limit=0.3, wrong=True, case=n // 5) for n in range(20)]
    apart, joined = held_back(outcomes, [0.5]), held_back(alike, [0.5])
    assert (apart.held, joined.held) == ((20,), (20,))
    assert (apart.cases, joined.cases) == (20, 4)
    assert apart.high == joined.high == (1.0,)
    assert apart.low == pytest.approx((0.8389,), abs=1e-3)
    assert joined.low == pytest.approx((0.5101,), abs=1e-3)


def test_nothing_at_all_may_be_any_share() -> None:
    found = held_back([], THRESHOLDS)
    assert (found.n, found.held) == (0, (0,) * 5)
    assert (set(found.low), set(found.high)) == ({0.0}, {1.0})


def test_what_is_always_or_never_delivered_stays_so_on_the_whole_slider() -> None:
    found = held_back([Outcome(math.inf, wrong=True, case=0), Outcome(-math.inf, wrong=False, case=1)], GRID)
    assert set(found.held) == {1}
    assert len(found.held) == 101
