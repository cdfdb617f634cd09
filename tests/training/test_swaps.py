"""Swapped twins: one name or value in the place of another that the passages have, and nothing else changed."""

from __future__ import annotations

import random

import pytest

from training.swaps import places, swapped

PASSAGES = [
    "Ann Hart reports to Ben Cole. The north desk opens at 7:30 on Monday and costs 40 euros.",
    "Dora Lind runs the south desk, which opens at 9:15 on Friday and costs 55 euros. It was built in 1988.",
]


def made(claim: str) -> set[str | None]:
    return {swapped(claim, PASSAGES, random.Random(seed)) for seed in range(60)}


@pytest.mark.parametrize(
    ("claim", "twins"),
    [
        ("The north desk opens at 7:30.", {"The north desk opens at 9:15."}),
        ("It costs 40 euros there.", {"It costs 55 euros there."}),
        ("The office is open on Monday.", {"The office is open on Friday."}),
        (
            "The desk is run by Dora Lind.",
            {"The desk is run by Ann Hart.", "The desk is run by Ben Cole."},
        ),
        (
            "The manager of Ann Hart is called Ben Cole.",
            {
                "The manager of Ben Cole is called Ann Hart.",
                "The manager of Dora Lind is called Ben Cole.",
                "The manager of Ann Hart is called Dora Lind.",
            },
        ),
    ],
)
def test_each_name_and_value_is_changed_for_those_of_its_kind(claim: str, twins: set[str]) -> None:
    assert made(claim) == twins


@pytest.mark.parametrize(
    "claim", ["The desk is open all day.", "It was built in 1988.", "It takes 3 hours.", ""], ids=repr
)
def test_where_nothing_of_the_kind_stands_elsewhere_there_is_no_twin(claim: str) -> None:
    assert made(claim) == {None}


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("On Monday the pool opens at 9:00.", "On Monday the pool opens at 9:00. On Tuesday the pool opens at 9:00."),
        ("It costs 1,500 dollars.", "It costs 1,500 dollars, or 1500 dollars without a comma."),
        ("Entry is free for over 40 guests.", "Entry is free for over 40 guests; a table seats 12 guests."),
        ("Ann Hart, Ben Cole and Dora Lind came.", "Ann Hart, Ben Cole and Dora Lind came."),
    ],
)
def test_a_twin_that_may_be_as_true_is_not_made(claim: str, passage: str) -> None:
    assert {swapped(claim, [passage], random.Random(seed)) for seed in range(40)} == {None}


def test_an_opening_word_is_no_name_and_a_unit_tells_values_apart() -> None:
    found = [(place.kind, place.text) for place in places("Opening costs 40 euros and 40 minutes.")]
    assert found == [("number euro", "40"), ("number minute", "40")]
