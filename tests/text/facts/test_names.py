"""Names, compared leniently, and quotations."""

import pytest

from guardrail.text.facts.names import initials_of, missing_tokens, name_weight, normal_quote, read_names, read_quotes
from guardrail.text.words import read_words


def names(text):
    return [fact.surface for fact in read_names(text, read_words(text), ())]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The pump was built by Lone Abild.", ["Lone Abild"]),
        ("Yesterday the University of Kelm closed.", ["University of Kelm"]),
        ("They asked Dr. Hale on Monday.", ["Hale"]),
        ("NASA left.", ["NASA"]),
        ("Birds sing.", []),
        ("THE MILL IS OLD AND RED AND ALSO WET", []),
        ("新缓存由Marta贡献。", ["Marta"]),
    ],
)
def test_names_are_read(text, found):
    assert names(text) == found


@pytest.mark.parametrize(
    ("name", "forms", "lacking"),
    [
        ("italian", {"italy"}, []),
        ("lone abild", {"abild"}, ["lone"]),
        ("world health organization", {"who"}, []),
        ("varden", {"mill"}, ["varden"]),
    ],
)
def test_tokens_that_the_evidence_lacks(name, forms, lacking):
    assert missing_tokens(name, name.title(), frozenset(forms), frozenset()) == lacking


def test_an_acronym_stands_for_the_full_name():
    text = "The World Health Organization paid."
    assert "who" in initials_of(text, read_words(text))
    assert missing_tokens("who", "WHO", frozenset({"world"}), frozenset({"who"})) == []


def test_a_longer_missing_name_is_surer():
    assert name_weight("lone abild", ["lone", "abild"]) > name_weight("lone abild", ["lone"])
    assert name_weight("english", ["english"]) < name_weight("varden", ["varden"])


def test_quotations_of_some_length_are_read():
    assert [(f.surface, f.kind) for f in read_quotes("He said “Mind the gap”, “go”, and 《渡口》.")] == [
        ("Mind the gap", "quote"),
        ("渡口", "name"),
    ]
    assert normal_quote("Mind  the GAP!") == "mind the gap"
