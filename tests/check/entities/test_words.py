"""The word lists tell bearers of one name apart by what they are called, and unknown words tell nobody apart."""

from __future__ import annotations

import pytest

from guardrail.check.entities import cluster, words
from guardrail.check.entities.names import name_key, roles, same_given
from tests.support.namesakes import pages


@pytest.mark.parametrize(
    ("one", "other", "two"),
    [
        ("swimmer", "senator", True),
        ("umpire", "swimmer", True),  # a bearer who says no field
        ("film", "album", True),
        ("film", "swimmer", True),
        ("编辑", "游泳", True),
        ("swimmer", "wizard", False),  # not on any list
        ("checklist", "swimmer", False),  # ends like an occupation
        ("human", "swimmer", False),
    ],
)
def test_titles_name_two_bearers_where_both_say_who_it_is(one: str, other: str, two: bool) -> None:
    found = cluster(pages((f"Jo Cook ({one})", "Jo Cook won."), (f"Jo Cook ({other})", "Jo Cook lost.")))
    assert [entity.shares_name for entity in found] == [two] * 2


def test_no_word_is_in_two_fields() -> None:
    """The field that comes later would take it without a word."""
    told = [word for field in words._FIELDS.values() for word in field.split()]
    assert sorted(words.FIELD_OF) == sorted(told)
    assert words.BEARERS & set(words.FIELD_OF) == set()


def test_every_word_is_found_in_the_form_in_which_it_is_looked_up() -> None:
    """Texts are folded before they are compared: a capital in a list would never be met."""
    assert [word for word, field in words.FIELD_OF.items() if field not in roles(word.upper())] == []
    assert [name for names in words.NICKNAMES for name in names if name_key(name.title()) != (name,)] == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("bill", "william", True), ("bob", "bert", True), ("bob", "bill", False), ("ted", "edward", True)],
)
def test_nicknames_are_those_of_one_name(one: str, other: str, same: bool) -> None:
    assert same_given(one, other) is same_given(other, one) is same
