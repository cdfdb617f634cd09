"""Quantities: some told as all."""

from __future__ import annotations

import pytest

from guardrail.types import ErrorType
from tests.support.relations import assert_no_alarm, assert_wrong

E = ErrorType

WRONG = [
    (
        "All households switched on a backup stove.",
        ["Eleven of the thirty households switched on a backup stove."],
        E.OVERGENERALIZATION,
        True,
    ),
    (
        "Vaccination always causes drowsiness in puppies.",
        ["Vaccination may cause drowsiness in puppies."],
        E.OVERGENERALIZATION,
        True,
    ),
    (
        "Motorcycles park free in all bays, even in those marked with a wheel.",
        ["Motorcycles park free in every bay except those marked with a wheel."],
        E.OVERGENERALIZATION,
        True,
    ),
    (
        "All the members chose a model without additional payment.",
        ["Of the 1,240 members, 68 percent chose a model without any additional payment."],
        E.OVERGENERALIZATION,
        True,
    ),
    (
        "Rust reduces bulb size in every year.",
        ["Rust may reduce bulb size in wet years."],
        E.OVERGENERALIZATION,
        True,
    ),
    ("所有消防员均已出院。", ["消防员大多已出院。"], E.OVERGENERALIZATION, True),
]

HONEST = [
    ("All of the members voted for it.", ["The vote of the members was unanimous."]),
    ("Every sample was tested.", ["Each of the samples was tested."]),
    ("None of the plants survived.", ["The plants all died."]),
    ("Not all bats echolocate.", ["Some bats do not echolocate."]),
    ("Fats, emulsifiers and acid all slow staling.", ["Fats and emulsifiers slow staling, and so does acid."]),
    (
        "Every unit shipped in 2018 had this password.",
        ["Units shipped until May 2020 had this password on every unit."],
    ),
    ("Anyone living alone stays for one night.", ["Those who live alone stay for one night."]),
    ("All rooms have a bath.", ["The rooms have a bath."]),
    ("The pool is open to all guests.", ["Guests may use the pool."]),
    ("Support is always free.", ["Support is free."]),
]


@pytest.mark.parametrize(("text", "evidence", "error_type", "contradicts"), WRONG)
def test_wrong_relation(text: str, evidence: list[str], error_type: E, contradicts: bool) -> None:
    assert_wrong(text, evidence, error_type, contradicts=contradicts)


@pytest.mark.parametrize(("text", "evidence"), HONEST)
def test_no_false_alarm(text: str, evidence: list[str]) -> None:
    assert_no_alarm(text, evidence)
