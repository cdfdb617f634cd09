"""Reasons name the clash, or what no passage mentions."""

from __future__ import annotations

import pytest

from guardrail.engines.local.reasons import clash_in_words, reason_of
from guardrail.text.facts import compare, extract
from guardrail.text.words import content_words

SENTENCE = "The museum opened in 1987 and is run by the town council."


def test_a_clash_is_the_word_in_which_two_near_sentences_differ():
    text = "The museum opened in 1987 and is run by the county council."
    clash = clash_in_words(text, ["Bees dance.", SENTENCE])
    assert (clash.said, clash.found) == ("county", "town")
    assert clash.span.of(text) == "county"


@pytest.mark.parametrize(
    "text",
    [
        "Visitors have been welcome since the late eighties.",  # another wording altogether
        "The museum opened in 1987 and is run by the town council with volunteers.",  # something added clashes not
        "",
        "和",
    ],
)
def test_no_clash_where_no_words_stand_for_others(text):
    assert clash_in_words(text, [SENTENCE]) is None


def test_what_is_missing_is_named():
    known = frozenset(content_words(SENTENCE))
    reason = reason_of("The museum is run by the town council and a brewery.", (), None, known)
    assert reason == "No passage says this; “brewery” is not mentioned."


def test_words_of_agreement_and_negation_are_not_called_missing():
    known = frozenset(content_words(SENTENCE))
    reason = reason_of("Yes, the museum is run by the town council and isn't a brewery.", (), None, known)
    assert reason == "No passage says this; “brewery” is not mentioned."


def test_another_topic_is_called_so():
    assert reason_of("Horses graze there.", (), None, frozenset()) == "The passages speak of something else."
    known = frozenset(content_words("horses graze"))
    assert reason_of("Horses graze.", (), None, known) == "The passages use these words but do not say this."


def test_a_reserve_is_named_with_the_words_of_the_passage():
    claim, sentence = extract("The firm has closed the plant."), extract("The firm plans to close the plant.")
    assert reason_of(claim.text, compare(claim, [sentence]), None, frozenset()) == (
        "The answer states “closed” as a fact; the passage says “plans to close the plant”."
    )


def test_what_decides_alone_comes_before_other_clashes():
    claim = extract("The council closed the north pool of Ulm for repairs.")
    sentence = extract("The council plans to close the south pool of Ulm for repairs.")
    found = compare(claim, [sentence])
    assert any(m.contradicts for m in found)
    assert "“plans to close the south pool of Ulm for repairs”" in reason_of(claim.text, found, None, frozenset())
