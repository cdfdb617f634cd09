"""Which row a text names: by its first cell or by what stands under a heading such as "name"."""

from __future__ import annotations

import pytest

from guardrail.text.records.names import is_named, names_of, places

ROOM = (("no", "12"), ("Name", "Alder"), ("floor", "Beech level"))


def test_a_row_is_named_by_its_first_cell_and_under_a_naming_header() -> None:
    assert names_of((("plan", "Move"), ("price", "Max"))) == ["Move"]
    assert names_of(ROOM) == ["Alder"]  # its first cell is a number
    assert names_of((("key", "x"), ("title", "A"))) == []  # a single letter names nothing
    assert names_of(()) == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("The ALDER has a balcony.", True),
        ("Both Alders have one.", True),
        ("Alder's balcony is new.", True),
        ("The Alderman has none.", False),
        ("Room 12 has a balcony.", False),
        ("", False),
    ],
)
def test_a_name_is_a_whole_word_in_any_case_and_may_be_plural(text: str, named: bool) -> None:
    assert is_named(ROOM, text) is named


def test_places_are_those_of_every_mention() -> None:
    assert places(ROOM, "Alder or Beech: the Alder.") == [0, 20]
    assert places((("model", "C++ (old)"),), "Take C++ (old).") == [5]  # signs in a name are signs
