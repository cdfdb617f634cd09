"""The paired interval against a published figure."""

import pytest

from guardrail.service.studio.recorded.pairs import paired


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
