"""Which sentence speaks of the same thing as the claim, and which value stands in a fact's place there."""

from __future__ import annotations

import pytest

from guardrail.text.facts import extract
from guardrail.text.facts.alignment import align, context, rival

CLAIM = extract("The path is 5 km long.")


def test_the_nearest_sentence_comes_first():
    claim = extract("The path is 5 km long.")
    evidence = align(claim, [extract("The dam is old."), extract("The path is 7 km long.")])
    assert evidence.nearest[0][0].text == "The path is 7 km long."
    candidate = rival(claim, claim.facts[0], evidence)
    assert candidate is not None
    assert candidate.surface == "7 km"


def test_without_a_sentence_that_shares_a_word_nothing_is_near() -> None:
    for sentences in ([], [extract("Bees dance.")]):
        evidence = align(CLAIM, sentences)
        assert (evidence.nearest, evidence.cover) == ((), 0.0)
        assert rival(CLAIM, CLAIM.facts[0], evidence) is None


def test_ties_do_not_depend_on_the_order_of_the_sentences() -> None:
    sentences = [extract(f"The path is {km} km long.") for km in (7, 8, 9, 10, 11)]
    forward, backward = (align(CLAIM, each) for each in (sentences, sentences[::-1]))
    assert [s.text for s, _ in forward.nearest] == [s.text for s, _ in backward.nearest]
    assert len(forward.nearest) == 4  # of five


@pytest.mark.parametrize(
    "sentence",
    [
        "The path is 7 kg long.",  # another unit
        "The path is 5 km long.",  # the value of the claim
        "The road to the old mill by the river costs 7 km.",  # another place
    ],
)
def test_a_value_in_another_place_is_no_rival(sentence: str) -> None:
    assert rival(CLAIM, CLAIM.facts[0], align(CLAIM, [extract(sentence)])) is None


def test_the_context_of_a_place_are_the_words_of_meaning_beside_it() -> None:
    facts = extract("The old stone path through the wood is 5 km long and steep.")
    before, after = context(facts, facts.facts[0].span)
    assert (sorted(before), sorted(after)) == (["path", "wood"], ["long", "steep"])
    assert context(facts, facts.facts[0].span, width=0) == (frozenset(), frozenset())


def test_a_claim_that_compares_where_the_sentence_does_not_may_compute() -> None:
    claim = extract("The path is 2 km longer than the road.")
    assert align(claim, [extract("The path is 7 km and the road 5 km long.")]).computing
    assert not align(claim, [extract("The path is 2 km longer than the road.")]).computing
