"""Order of time, comparison and concession."""

from __future__ import annotations

import pytest

from guardrail.types import ErrorType
from tests.support.relations import assert_entailed, assert_no_alarm, assert_wrong

E = ErrorType

WRONG = [
    (
        "The noise complaints ended before the installer moved the units.",
        ["The noise complaints ended after the installer moved the units."],
        E.OTHER_LOGIC,
        True,
    ),
    (
        "He recommends raising the monitor rather than lowering the chair.",
        ["He recommends lowering the chair rather than raising the monitor."],
        E.OTHER_LOGIC,
        True,
    ),
    (
        "The K40 is heavier than the older K60.",
        ["The older K60 is heavier than the K40."],
        E.ENTITY_INVERSION,
        True,
    ),
    (
        "Corners fail first, so use nails rather than stainless screws.",
        ["Corners fail first, so use stainless screws rather than nails."],
        E.OTHER_LOGIC,
        True,
    ),
    (
        "Use nails instead of screws.",
        ["Use screws rather than nails."],
        E.OTHER_LOGIC,
        True,
    ),
    (
        "科考船在加装测深仪之前发现了飞鸿海山。",
        ["1981年加装测深仪之后，科考船发现了飞鸿海山。"],
        E.OTHER_LOGIC,
        True,
    ),
]

ENTAILED = [
    ("Although it rained, the match went on.", ["The match went on although it rained."]),
    ("The bridge closed after the flood.", ["After the flood, the bridge closed."]),
    ("The K60 is heavier than the K40.", ["The new K60 is heavier than the old K40."]),
]

HONEST = [
    ("The complaint was settled before the trial.", ["The trial came after the complaint was settled."]),
    ("The K40 is lighter than the K60.", ["The K60 is heavier than the K40."]),
    ("Though cheap, the lamp lasts.", ["The lamp is cheap but lasts."]),
    ("Low acidity does not suffice for this oil.", ["This oil counts only when acidity is low and no heat is used."]),
    ("The wait can be as long as twelve weeks.", ["The wait takes five weeks and must never exceed twelve."]),
    ("Aaker won the cup more often than anyone else.", ["Only Aaker won the cup nine times, and no one won more."]),
    ("All depots but Corley met the target.", ["Every depot met the target except Corley."]),
    ("The pins are X-rayed before the tower is cleaned.", ["The tower is not cleaned until the pins are X-rayed."]),
    ("65 points would be enough at Tontaine but too few at Grand Tontaine.", ["In Grand Tontaine, 61 are not enough."]),
    (
        "In sunlight the Inkwell stayed clear, while the Lumo was dim.",
        ["The Lumo was dim, while the Inkwell stayed clear."],
    ),
    ("Loaves bake for 55 minutes in all.", ["Bake loaves for 15 minutes, then for 40."]),
]


@pytest.mark.parametrize(("text", "evidence", "error_type", "contradicts"), WRONG)
def test_wrong_relation(text: str, evidence: list[str], error_type: E, contradicts: bool) -> None:
    assert_wrong(text, evidence, error_type, contradicts=contradicts)


@pytest.mark.parametrize(("text", "evidence"), ENTAILED)
def test_entailed_relation(text: str, evidence: list[str]) -> None:
    assert_entailed(text, evidence)


@pytest.mark.parametrize(("text", "evidence"), HONEST)
def test_no_false_alarm(text: str, evidence: list[str]) -> None:
    assert_no_alarm(text, evidence)
