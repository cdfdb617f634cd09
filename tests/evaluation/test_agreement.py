"""Cohen's kappa."""

from __future__ import annotations

import pytest

from guardrail.evaluation.agreement import agreement, kappa
from guardrail.evaluation.labels import Labels
from tests.support.label_files import item, said


def pairs(table):
    """Pairs of a table {(one, other): times}, each of a group of its own."""
    listed = [both for both, times in table.items() for _ in range(times)]
    return [(number, *both) for number, both in enumerate(listed)]


def test_the_textbook_value():
    """Of 50 grants both say yes 20 times and no 15 times: kappa 0.4 (0.7 observed, 0.5 expected)."""
    found = kappa(pairs({("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}))
    assert found.value == pytest.approx(0.4)
    # Large-sample interval (Fleiss, Cohen and Everitt 1969): 0.4 plus or minus 1.96 times 0.127.
    assert found.low == pytest.approx(0.15, abs=0.03)
    assert found.high == pytest.approx(0.65, abs=0.03)


def test_three_words():
    found = kappa(pairs({("a", "a"): 4, ("b", "b"): 3, ("c", "c"): 1, ("a", "b"): 1, ("b", "c"): 1}))
    observed, expected = 0.8, (5 * 4 + 4 * 4 + 1 * 2) / 100
    assert found.value == pytest.approx((observed - expected) / (1 - expected))


def test_one_word_only_says_nothing():
    assert kappa(pairs({("a", "a"): 9})).value is None
    assert kappa([]).value is None


def test_sentences_of_one_answer_count_together():
    """The same labels make a wider interval where they are of fewer answers."""
    table = pairs({("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15})
    alone, grouped = kappa(table), kappa([(number // 10, *both) for number, *both in table])
    assert grouped.value == alone.value
    assert grouped.high - grouped.low > alone.high - alone.low


def test_what_both_labelled_and_were_sure_of_counts():
    labels = Labels()
    for ident in ("a", "b"):
        labels.add_item(item(ident))
    for n, (segment, word, by, of) in enumerate(
        [
            ("s1", "supported", "Ana", "a"), ("s1", "supported", "Bo", "a"),
            ("s2", "contradicted", "Ana", "a"), ("s2", "unsupported", "Bo", "a"),
            ("s1", "unsure", "Ana", "b"), ("s1", "supported", "Bo", "b"),
            ("s2", "supported", "Bo", "b"), ("s2", "supported", "Cy", "b"),
        ]
    ):  # fmt: skip
        labels.add_label(said(str(n), segment, word, by=by, of=of))
    first, second = agreement(labels)
    assert (first.people, first.n, first.answers, first.same, first.apart) == (("Ana", "Bo"), 2, 1, 0.5, (("a", "s2"),))
    assert (second.people, second.n, second.kappa.value) == (("Bo", "Cy"), 1, None)
