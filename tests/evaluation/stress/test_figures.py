"""Other numbers, dates and units."""

from __future__ import annotations

import random

import pytest

from guardrail.evaluation.stress import wrong_versions
from guardrail.types import ErrorType
from tests.support.stress_versions import wrong


def test_a_new_number_is_none_of_the_passages():
    others = [f"Stair {number} was mended." for number in range(2, 160) if number != 59]
    for seed in range(40):
        for kind, text in wrong_versions("The tower has 84 steps.", random.Random(seed), others=others):
            if kind is ErrorType.CONTRADICTION:
                assert not any(f" {number} " in text for number in range(2, 160) if number != 59)


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("The shop opened in March 1980.", {"January", "July", "December"}),
        ("The hall holds seven chairs.", {"four", "five", "nine", "ten"}),
        ("The walk took 20 minutes.", {"hours"}),
        ("It weighs 2.5 kg in all cases.", {" g "}),
    ],
)
def test_months_words_and_units(sentence, words):
    texts = [text for kind, text in wrong(sentence) if kind == "contradiction"]
    assert any(word in text for text in texts for word in words)


@pytest.mark.parametrize(("kind", "sentence"), [("contradiction", "More people than 50 came.")])
def test_nothing_where_it_is_not_sure(kind, sentence):
    assert kind not in {found for found, _ in wrong(sentence)}


@pytest.mark.parametrize(
    "sentence", ["It seats at least 50 people.", "See room 12 for this.", "It runs from 3 to 5 days."]
)
def test_bounds_labels_and_ranges_stay(sentence):
    numbers = {word for word in sentence.split() if word.isdigit()}
    assert all(numbers <= set(text.split()) for _, text in wrong(sentence))
