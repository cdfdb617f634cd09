"""What the gate reports of a fact, and what an item of a text is."""

from __future__ import annotations

import pytest

from guardrail.text.facts import Fact, extract
from guardrail.text.facts.fact import mismatch


def length() -> Fact:
    [fact] = extract("The path is 5 km long.").facts
    return fact


def test_a_fact_with_nothing_in_its_place_is_unsupported() -> None:
    found = mismatch(length(), 0.87654)
    assert (found.claim_value, found.evidence_value, found.contradicts) == ("5 km", None, False)
    assert (found.kind, found.span, found.weight) == ("quantity", (12, 16), 0.877)


@pytest.mark.parametrize("there", ["7 km", ""])
def test_another_value_in_its_place_contradicts_it(there: str) -> None:
    found = mismatch(length(), 1.0, there)
    assert (found.evidence_value, found.contradicts) == (there, True)


@pytest.mark.parametrize(
    ("text", "values", "characters"),
    [
        ("The path is 5 km long.", ["5 km"], []),
        ("It opened on 3 March 2019.", ["3 March 2019"], []),
        ("Rita Halloway paints.", [], []),
        ("小路长5公里。", ["5公里"], ["小", "路", "长"]),
    ],
)
def test_items_are_values_or_words_and_some_words_are_characters(
    text: str, values: list[str], characters: list[str]
) -> None:
    items = extract(text).items
    assert [item.span.of(text) for item in items if item.is_value] == values
    assert [item.span.of(text) for item in items if item.is_character] == characters
