"""Where a sentence withholds assent, and how far each cue reaches."""

from __future__ import annotations

import pytest

from guardrail.text.facts.reserve_cues import read_reserves


def governed(text: str) -> list[tuple[str, str]]:
    """The words of each cue and what it governs."""
    return [(cue.span.of(text).strip(), cue.scope.of(text).strip()) for cue in read_reserves(text)]


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("The firm plans to close the plant.", "close the plant"),
        ("The firm plans to close the plant, but the clerk stays.", "close the plant"),
        ("The firm plans to close the plant; it is old.", "close the plant"),
        ("The firm plans to close the plant while it can.", "close the plant"),
        ("The firm plans to close the plant and will sell it.", "close the plant"),
        ("The firm plans to close the plant and the mill.", "close the plant and the mill"),
        ("The firm plans to close plant 2.5.", "close plant 2.5"),
        ("公司计划关闭工厂，但员工留下。", "关闭工厂"),
    ],
)
def test_a_cue_governs_the_text_up_to_the_next_border(text: str, scope: str) -> None:
    assert governed(text)[0][1] == scope


def test_cues_stand_in_the_order_of_the_text() -> None:
    assert governed("He plans to sell it and they will buy it.") == [("plans to", "sell it"), ("will", "buy it")]


def test_a_curly_apostrophe_is_an_apostrophe() -> None:
    assert [(cue.key, cue.scope) for cue in read_reserves("It’s said to be sold.")] == [
        (cue.key, cue.scope) for cue in read_reserves("It's said to be sold.")
    ]


def test_a_letter_that_grows_in_lower_case_does_not_move_what_follows() -> None:
    assert governed("The İzmir firm plans to close it.") == [("plans to", "close it")]


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Was the dam closed in May?", True),
        ("“Was the dam closed?”", True),
        ("1. Was the dam closed?", True),
        ("When was the dam closed?", False),  # it presupposes that it was
        ("It was closed, was it not?", False),
        ("Was the dam closed.", False),
    ],
)
def test_a_question_that_may_be_answered_with_no_asserts_nothing(text: str, asks: bool) -> None:
    assert any(cue.key == "question" for cue in read_reserves(text)) is asks


@pytest.mark.parametrize("text", ["It opened in May 2001.", "It opened.", "", "?"])
def test_the_month_of_may_and_plain_text_hold_no_cue(text: str) -> None:
    assert read_reserves(text) == ()
