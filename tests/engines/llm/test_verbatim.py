"""Words are looked up as they stand, but for what copying changes."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.verbatim import SearchedText, as_compared, long_enough
from guardrail.types import Span

TEXT = SearchedText("It is 64 metres high — the “tallest” in the county.\nIt holds **drinking** water.")


@pytest.mark.parametrize(
    ("quote", "spans"),
    [
        ("It is 64 metres high", (Span(0, 20),)),
        ('high - the "tallest" in', (Span(16, 39),)),
        ("It is 64 ... drinking water", (Span(0, 8), Span(63, 79))),
        ("drinking water ... 64 metres", ()),  # in another order
        ("64 met", ()),  # a part of a word
        ("is", ()),  # too short to show anything
        ("", ()),
    ],
)
def test_quotes_are_located(quote: str, spans: tuple[Span, ...]) -> None:
    assert TEXT.locate(quote) == spans


def test_each_character_keeps_its_place() -> None:
    text, places = as_compared("Ｔhe\u00a0 **dam**")
    assert text == "the dam"
    assert places == [0, 1, 2, 3, 7, 8, 9]


@pytest.mark.parametrize(
    ("words", "enough"), [("dam", True), ("15 %", True), ("水库", True), ("a", False), ("水", False)]
)
def test_a_letter_or_two_show_nothing(words: str, enough: bool) -> None:
    assert long_enough(words) is enough
