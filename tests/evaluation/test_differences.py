import itertools

import numpy as np
import pytest

from guardrail.evaluation.differences import difference, mcnemar, paired_difference


def test_two_groups_as_published():
    """Newcombe 1998, table II, case (a): 56/70 less 48/80."""
    found = difference(48, 80, 56, 70)
    assert [found.value, found.low, found.high] == pytest.approx([0.2, 0.0524, 0.3339], abs=1e-4)
    assert found.certain
    back = difference(56, 70, 48, 80)
    assert [back.value, back.low, back.high] == pytest.approx([-0.2, -0.3339, -0.0524], abs=1e-4)
    assert not difference(5, 50, 7, 50).certain


def test_pairs():
    found = paired_difference(100, 12, 4)
    gone, new = 13 / 102, 5 / 102
    half = 1.959964 * ((gone + new - (new - gone) ** 2) / 102) ** 0.5
    assert [found.value, found.low, found.high] == pytest.approx([-0.08, new - gone - half, new - gone + half])
    assert paired_difference(50, 0, 0).low < 0 < paired_difference(50, 0, 0).high
    assert paired_difference(3, 0, 3).high == 1.0
    with pytest.raises(ValueError, match="cannot have changed"):
        paired_difference(3, 2, 2)


def test_the_paired_interval_holds_the_truth():
    random, held = np.random.default_rng(1), []
    for gone, new in ((0.05, 0.02), (0.01, 0.01), (0.2, 0.3)):
        for counts in random.multinomial(400, [gone, new, 1 - gone - new], 400):
            found = paired_difference(400, int(counts[0]), int(counts[1]))
            held.append(found.low <= new - gone <= found.high)
    assert 0.93 <= np.mean(held) <= 0.975


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
    assert mcnemar(4000, 2000) < 1e-9
