"""The word lists."""

from __future__ import annotations

import pytest

from guardrail.evaluation.stress.words import pairs, table, words


@pytest.mark.parametrize("name", ["adverbs", "connectives", "same", "units", "zh_all", "zh_opposites"])
def test_nothing_stands_for_itself(name):
    found = table(name)
    assert found
    assert all(isinstance(one, str) and isinstance(two, str) and one != two for one, two in found.items())


@pytest.mark.parametrize("name", ["neighbours", "opposites", "zh_neighbours"])
def test_pairs_come_in_both_orders(name):
    found = pairs(name)
    assert set(found) == {(two, one) for one, two in found}


def test_phrases_keep_their_spaces():
    assert "pointed out" in words("confirmed")
    assert "Porto" in words("places")
