"""Reasons name the clash, or what no passage mentions."""

from __future__ import annotations

import pytest

from guardrail.engines.local.reasons import clash_in_words, reason_of
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


def test_another_topic_is_called_so():
    assert reason_of("Horses graze there.", (), None, frozenset()) == "The passages speak of something else."
    known = frozenset(content_words("horses graze"))
    assert reason_of("Horses graze.", (), None, known) == "The passages use these words but do not say this."
