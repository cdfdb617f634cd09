"""Shares with intervals against published figures, and against simulated stores."""

import random

import pytest

from guardrail.service.studio.recorded.shares import Share, Weighed, difference, effective, share


def plain(hits, others):
    return share(
        Weighed(records=hits, answers=hits, squares=hits), Weighed(records=others, answers=others, squares=others)
    )


def sampled(faulty, clean, weight):
    """A store that keeps all faulty answers, and of the clean ones each ``weight``-th."""
    return (
        Weighed(records=faulty, answers=faulty, squares=faulty),
        Weighed(records=clean, answers=clean * weight, squares=clean * weight**2),
    )


def test_difference_as_newcombe_prints_it():
    # Newcombe 1998 (interval estimation for the difference), table II, method 10: 56/70 - 48/80.
    found = difference(plain(48, 32), plain(56, 14))
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)
    assert found.clear


def test_equal_weights_change_nothing():
    one = plain(30, 70)
    five = share(Weighed(records=30, answers=150.0, squares=750.0), Weighed(records=70, answers=350.0, squares=1750.0))
    assert (five.value, five.low, five.high, five.n) == pytest.approx((one.value, one.low, one.high, 100))
    assert five.answers == 500


def test_sampling_widens_the_interval():
    """60 faulty of 1,200 answers, seen through a sample of the clean ones, is less certain than seen whole."""
    whole, through = plain(60, 1140), share(*sampled(60, 57, 20))
    assert through.value == whole.value
    assert through.low < whole.low
    assert through.high > whole.high
    assert effective(*sampled(60, 57, 20)) == pytest.approx(1200 / (0.95 + 20 * 0.05))


def test_nothing_is_no_share():
    assert share(Weighed(), Weighed()) == Share(value=None, low=None, high=None, n=0, answers=0.0)
    assert difference(plain(0, 0), plain(1, 2)).value is None
    assert not difference(plain(0, 0), plain(1, 2)).clear


def test_no_fault_yet_is_not_certainty():
    found = plain(0, 12)
    assert (found.value, found.low) == (0.0, 0.0)
    assert 0.2 < found.high < 0.3


def test_the_interval_holds_the_true_share_about_95_times_in_100():
    """Stores as the writer makes them: 400 answers, 8 % faulty, clean ones kept by a chance of 1 in 5."""
    toss, held = random.Random(7), 0
    for _ in range(1000):
        faulty = sum(toss.random() < 0.08 for _ in range(400))
        clean = sum(toss.random() < 0.2 for _ in range(400 - faulty))
        found = share(*sampled(faulty, clean, 5))
        held += found.low <= 0.08 <= found.high
    assert 930 <= held <= 975
