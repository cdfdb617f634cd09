"""The interval of a share."""

import pytest

from guardrail.evaluation.intervals import wilson


def test_wilson_interval():
    """Values of the textbook formula: 0 of 10 and 5 of 10 (Newcombe 1998, table I, method 3)."""
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    with pytest.raises(ValueError, match="0 of 0"):
        wilson(0, 0)


def test_units_may_count_by_their_share() -> None:
    """Half a hit lies between none and one."""
    assert wilson(0, 10)[1] < wilson(0.5, 10)[1] < wilson(1, 10)[1]


def test_wilson_as_newcombe_prints_it():
    # Newcombe 1998 (two-sided intervals for the single proportion), table I, method 3.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
