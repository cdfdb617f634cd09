"""RefChecker's aggregation: its own examples, and what it leaves open."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.check.verdicts import WORST_FIRST, Ratios, major, merge, soft, strict
from guardrail.errors import UsageError
from guardrail.types import Verdict

E, C, N, U = Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.UNVERIFIED
LABELS = st.lists(st.sampled_from(WORST_FIRST), max_size=12)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([E, E, E], E),  # all are Entailment
        ([E, N, C], C),  # there is a Contradiction
        ([E, N, E], N),  # otherwise
        ([E, U], U),  # what was not judged is no support
        ([U, N], N),
        ([], Verdict.ABSTAINED),
    ],
)
def test_strict(labels, expected):
    """The rule tau of RefChecker's page, with UNVERIFIED between Entailment and Neutral."""
    assert strict(labels) is strict(labels[::-1]) is expected


def test_soft_is_refcheckers_example():
    """3 Entailment, 5 Neutral and 2 Contradiction of 10 are 0.3, 0.5 and 0.2."""
    found = soft([E] * 3 + [N] * 5 + [C] * 2)
    assert found == Ratios(entailment=0.3, neutral=0.5, contradiction=0.2)


def test_soft_of_no_claims_abstains():
    """The abstain rate is 1 for that answer."""
    assert soft([]) == Ratios(abstain=1.0)


def test_soft_shows_what_was_not_judged():
    """It is no part of the other three."""
    assert soft([E, U, U, C]) == Ratios(entailment=0.25, contradiction=0.25, unverified=0.5)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([E, E, C], E),
        ([N, N, E, C], N),
        ([E, C], C),  # a tie goes to the worse
        ([E, N], N),
        ([N, C], C),
        ([E, U], U),
        ([U, U, E], U),
        ([], Verdict.ABSTAINED),
    ],
)
def test_major(labels, expected):
    """The commonest, in any order."""
    assert major(labels) is major(labels[::-1]) is expected


@pytest.mark.parametrize(
    ("by_passage", "expected"),
    [
        ([N, E, C], E),  # RefChecker: one reference that entails it is enough
        ([N, C, N], C),
        ([N, N], N),
        ([N, U], U),  # the passage that nobody judged might have been the one
        ([U, C], C),
        ([U, E], E),
        ([], U),
    ],
)
def test_merge(by_passage, expected):
    """The label of a claim from its labels by passage."""
    assert merge(by_passage) is merge(by_passage[::-1]) is expected


@given(LABELS, st.randoms(use_true_random=False))
def test_nothing_unjudged_becomes_support(labels, dice):
    """Whatever the order; and the ratios share out everything."""
    shuffled = dice.sample(labels, len(labels))
    assert (strict(labels), major(labels), merge(labels)) == (strict(shuffled), major(shuffled), merge(shuffled))
    assert sum(soft(labels)) == pytest.approx(1.0)
    if E not in labels:
        assert E not in (strict(labels), major(labels), merge(labels))
    if set(labels) != {E}:
        assert strict(labels) is not E


@pytest.mark.parametrize("rule", [strict, soft, major, merge])
def test_a_claim_cannot_abstain(rule):
    """Only whole answers do."""
    with pytest.raises(UsageError, match="abstained"):
        rule([E, Verdict.ABSTAINED])


def test_labels_may_come_from_a_generator():
    """And are read once."""
    assert strict(random.Random(1).choice([E]) for _ in range(3)) is E
