"""Capitals, subjects, and sentences of two clauses."""

from __future__ import annotations

import pytest

from guardrail.evaluation.stress.change import Source
from guardrail.evaluation.stress.grammar import exchanged, is_plural, lowered, read_pair, read_two, split_subject


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The pump failed.", "the pump failed."),
        ("NASA paid.", "NASA paid."),
        ("Mara Quist paid.", "Mara Quist paid."),
        ("Rose paid.", None),  # a name or a flower
    ],
)
def test_a_capital_goes_where_it_is_surely_no_name(text, expected):
    assert lowered(text, Source(text)) == expected


def test_a_clause_is_cut_before_its_verb():
    clause = split_subject("The old mills of the valley burned for days")
    assert clause == ("The old mills of the valley", "burned for days")
    assert (clause.verb, clause.plural, clause.agrees_with_all) == ("burned", True, True)
    assert split_subject("It burned for days") is None


def test_two_clauses_and_their_connective():
    assert read_two(Source("Because the pump was old, the cellar was wet.")) == (
        "the cellar was wet", "because", "the pump was old", True,
    )  # fmt: skip
    assert read_pair(Source("The well was dry, so the farmers left.")) == ("The well was dry", "so", "the farmers left")
    assert read_two(Source("The pump was old.")) is None


def test_pronouns_keep_their_nouns_where_clauses_change_over():
    assert exchanged("the pump failed", "it was old") == ("the pump was old", "it failed")
    assert exchanged("the pumps failed", "it was old") is None


@pytest.mark.parametrize(
    ("noun", "plural"), [("the people of Porto", True), ("the bus", False), ("salt and oil", True)]
)
def test_plurals(noun, plural):
    assert is_plural(noun) is plural
