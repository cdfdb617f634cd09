"""When two values are the same, and which values a text has."""

from __future__ import annotations

import pytest

from guardrail.text.facts import Fact, extract
from guardrail.text.facts.values import is_equal, values_of


def value(words: str) -> Fact:
    [fact] = values_of(extract(f"It is {words} there."))
    return fact


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("5 km", "5,000 m", True),
        ("5 km", "5.02 km", False),  # between decimal prefixes nothing is rounded
        ("5 miles", "8 km", True),  # between systems it is
        ("5 miles", "9 km", False),
        ("5 kg", "5 m", False),
        ("20 %", "0.2", False),
        ("2.1", "2.10", False),  # versions, sections
        ("90 minutes", "1.5 hours", True),
        ("90 minutes", "91 minutes", False),
        ("2:40", "14:40", True),
        ("2:40 pm", "14:40", True),
        ("2:40 pm", "2:40 am", False),
        ("3 March 2019", "2019-03-03", True),
        ("3 March 2019", "3 March", False),
        ("3 March 2019", "2019", False),
        ("3 March 2019", "2019 km", False),
    ],
)
def test_values_are_the_same_whatever_their_unit_or_form(one: str, other: str, same: bool) -> None:
    assert is_equal(value(one), value(other)) is same
    assert is_equal(value(other), value(one)) is same


def test_a_name_is_no_value() -> None:
    [name] = [fact for fact in extract("They met Rita Halloway.").facts if fact.kind == "name"]
    assert not is_equal(name, name)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It takes 1 hour 30 minutes.", ["1 hour 30 minutes"]),  # and not the two that it is made of
        ("The Korvel 40 finished 2nd and costs 5 euros.", ["5 euros"]),  # labels and ordinals are no values
        ("It costs ¥35 in 2019.", ["2019"]),  # yen or yuan: nobody knows
        ("Nothing is counted here.", []),
        ("", []),
    ],
)
def test_the_values_of_a_text(text: str, found: list[str]) -> None:
    assert [fact.surface for fact in values_of(extract(text))] == found
