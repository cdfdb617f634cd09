"""McNemar's test and the paired interval, against published figures and a count of all outcomes."""

import itertools

import pytest

from guardrail.studio.recorded.pairs import mcnemar, paired


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 1), (0, 5), (2, 8), (6, 3), (12, 1)])
def test_p_is_the_share_of_all_tosses_that_are_as_uneven(first, second):
    tosses = first + second
    uneven = sum(
        abs(2 * sum(toss) - tosses) >= abs(first - second) for toss in itertools.product((0, 1), repeat=tosses)
    )
    assert mcnemar(first, second) == pytest.approx(uneven / 2**tosses)


def test_p_as_printed():
    # Agresti, Categorical Data Analysis (2nd ed.), section 10.1: 150 against 86 change their minds, p < 0.0001.
    assert mcnemar(150, 86) == pytest.approx(3.7e-5, rel=0.05)
    assert mcnemar(0, 5) == pytest.approx(0.0625)


def test_large_counts_do_not_overflow():
    assert mcnemar(50_000, 50_000) == 1.0
    assert 0.0 < mcnemar(50_000, 51_000) < 0.002
    assert mcnemar(10_000, 20_000) == 0.0  # smaller than any number that a computer holds


def test_difference_and_interval():
    found = paired(both=10, only_first=2, only_second=9, neither=79)
    assert (found.n, found.difference) == (100, 0.07)
    # (10 - 3) / 102, and 1.96 sqrt((13/102 - (7/102)^2) / 102)
    assert (found.low, found.high) == pytest.approx((0.0686 - 0.0680, 0.0686 + 0.0680), abs=2e-4)
    other = paired(both=10, only_first=9, only_second=2, neither=79)
    assert (other.difference, other.low, other.high) == pytest.approx((-0.07, -found.high, -found.low))
    assert other.p == found.p


def test_without_answers_nothing_is_said():
    assert paired(0, 0, 0, 0).difference is None
    assert paired(0, 0, 0, 3).p == 1.0
