"""A text as a row of content words and values, each with the function words that tell its role."""

from __future__ import annotations

import pytest

from guardrail.text.facts import extract


def told(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(item.span.of(text), item.kind, item.markers) for item in extract(text).items]


def test_words_names_and_values_stand_in_order_with_their_markers() -> None:
    assert told("The path was opened by Rita for 5 km.") == [
        ("path", "word", ()),
        ("opened", "word", ("be",)),
        ("Rita", "name", ("by",)),
        ("5 km", "amount m", ("for",)),
    ]


@pytest.mark.parametrize(
    ("text", "other"), [("It is 5 km.", "It is 5,000 m."), ("It opened in 1998.", "It opens 1998.")]
)
def test_equal_things_have_equal_keys_whatever_their_form(text: str, other: str) -> None:
    assert [item.key for item in extract(text).items] == [item.key for item in extract(other).items]


def test_values_of_other_units_have_other_kinds() -> None:
    kinds = [told(f"It is {value}.")[-1][1] for value in ("5 km", "5 kg", "14:40", "3 March")]
    assert len(set(kinds)) == 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("They took Model A.", ["took", "Model", "A"]),  # a letter that is a name
        ("A model was taken.", ["model", "taken"]),  # the article
        ("Then I left.", ["left"]),
        ("One of them left.", ["left"]),  # mostly a pronoun, seldom a number
        ("", []),
    ],
)
def test_single_letters_and_one(text: str, words: list[str]) -> None:
    assert [word for word, _, _ in told(text)] == words


def test_where_values_overlap_the_longer_one_is_the_item() -> None:
    assert [word for word, kind, _ in told("It took 1 hour 30 minutes.") if kind != "word"] == ["1 hour 30 minutes"]
