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


@pytest.mark.parametrize(
    ("first", "then", "p"), [(0, 0, 1.0), (5, 5, 1.0), (1, 9, 22 / 1024), (9, 1, 22 / 1024), (0, 6, 2 / 64)]
)
def test_mcnemar_is_exact_for_few(first, then, p):
    assert mcnemar(first, then) == pytest.approx(p)


def test_mcnemar_is_near_to_exact_where_it_changes_over():
    exact, near = mcnemar(460, 540), mcnemar(461, 540)
    assert near == pytest.approx(exact, rel=0.1)
    assert mcnemar(4000, 2000) < 1e-9
