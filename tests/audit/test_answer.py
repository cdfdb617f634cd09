"""A logged answer: its day, its key, and what makes two answers the same to judge."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guardrail.audit.answer import UNDATED, LoggedAnswer
from guardrail.types import Passage

ANSWER = LoggedAnswer(
    id="a1",
    answer="It closes at six.",
    passages=(Passage(id="p1", text="The shop closes at six.", title="Hours"),),
    documents=("hours.md",),
    question="When?",
)


@pytest.mark.parametrize(
    ("at", "day"),
    [(None, UNDATED), (0.0, "1970-01-01"), (1_700_006_399.9, "2023-11-14"), (1_700_006_400.0, "2023-11-15")],
)
def test_the_day_is_that_of_utc(at: float | None, day: str) -> None:
    assert replace(ANSWER, at=at).day == day


@pytest.mark.parametrize(
    "change",
    [
        {"answer": "It closes at seven."},
        {"question": None},
        {"documents": ("terms.md",)},
        {"passages": (Passage(id="p2", text="The shop closes at six.", title="Hours"),)},
        {"passages": (Passage(id="p1", text="The shop closes at six.", title="Terms"),)},
        {"passages": (Passage(id="p1", text="The shop closes at seven.", title="Hours"),)},
    ],
)
def test_whatever_is_judged_makes_another_content(change: dict[str, object]) -> None:
    changed = replace(ANSWER, **change)  # type: ignore[arg-type]
    assert changed.content != ANSWER.content
    assert changed.key == ANSWER.key


def test_where_and_when_it_was_logged_is_not_judged() -> None:
    again = replace(ANSWER, id="a2", at=5.0, labels={"model": "m1"}, place="log:7")
    assert again.content == ANSWER.content
    assert again.key != ANSWER.key


def test_texts_that_are_no_unicode_have_hashes_too() -> None:
    odd = replace(ANSWER, id="\ud800", answer="\udfff")
    assert odd.content == replace(odd).content
    assert odd.key != ANSWER.key
