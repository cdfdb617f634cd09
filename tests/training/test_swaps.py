"""Swapped twins: one name or value in the place of another that the passages have, and nothing else changed."""

from __future__ import annotations

import random

import pytest

from training.places import places
from training.swaps import swapped

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


ABROAD = {
    "de": (
        "Die Gebühr leitet Paula Reuss. Sie beträgt am Montag 40 Euro. Am Freitag hilft Karl Adomeit und nimmt 60 Euro.",
        "Zuständig ist Paula Reuss, und es kostet 40 Euro.",
        {"Zuständig ist Karl Adomeit, und es kostet 40 Euro.", "Zuständig ist Paula Reuss, und es kostet 60 Euro."},
    ),
    "fr": (
        "Le cours coûte 30 € le lundi et 45 € le jeudi.",
        "Le prix du lundi est de 30 €.",
        {"Le prix du jeudi est de 30 €.", "Le prix du lundi est de 45 €."},
    ),
    "es": (
        "La sede de Lugo abre en mayo y la de Reus en junio.",
        "En mayo abre la de Lugo.",
        {"En junio abre la de Lugo.", "En mayo abre la de Reus."},
    ),
    "zh": ("标准版每月200次,专业版每月500次,星期三维护。", "专业版一个月500次。", {"专业版一个月200次。"}),
    "ja": ("会費は大人800円、子ども300円、月曜日は休みです。", "大人は800円です。", {"大人は300円です。"}),
}


@pytest.mark.parametrize("lang", sorted(ABROAD))
def test_values_of_other_languages_are_changed_too(lang: str) -> None:
    passage, claim, twins = ABROAD[lang]
    assert {swapped(claim, [passage], random.Random(seed)) for seed in range(60)} == twins


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Ab 6 Jahren darf man mit.", "Kinder ab 6 Jahren und Erwachsene ab 18 Jahren."),
        ("Moins de 12 kg : gratuit.", "Jusqu'à 12 kg gratuit, 30 kg au plus."),
        ("满两周可退。", "二周内可退。"),
        ("5人以上で割引です。", "5人以上は割引、10人以上は無料。"),
    ],
)
def test_abroad_bounds_and_other_spellings_are_no_twins(claim: str, passage: str) -> None:
    assert {swapped(claim, [passage], random.Random(seed)) for seed in range(40)} == {None}
