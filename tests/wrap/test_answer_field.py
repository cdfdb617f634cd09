"""Which field of a structured answer holds its text, and the same object with another text there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, Optional

import pytest
from pydantic import BaseModel, Field

from guardrail import UsageError
from guardrail.wrap.answer_field import answer_field, is_structured, replaced, text_in


class Mood(StrEnum):
    CALM = "a long description of a calm mood"


class Reply(BaseModel):
    """Every kind of field that is no answer."""

    sources: list[str]
    link: Annotated[str, Field(pattern="^https")] = "https://example.org/a/long/address/of/a/page/about/garages"
    confidence: Literal["high and beyond any doubt", "low"] = "high and beyond any doubt"
    mood: Mood = Mood.CALM
    needs_human: bool = False
    note: Optional[str] = None  # noqa: UP045  the older spelling
    text: Annotated[str, Field(max_length=90)] | None = None


@dataclass(frozen=True, slots=True)
class Spoken:
    mood: Mood
    said: str
    seconds: float = 1.0


REPLY = Reply(sources=["The garage opens at 6:00 and closes late."], note="Short.", text="It opens at 6:00.")
SPOKEN = Spoken(Mood.CALM, "Yes.")


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (REPLY, "text"),
        (REPLY.model_copy(update={"note": "In short."}), "text"),
        (REPLY.model_copy(update={"note": "It opens at 6:00, every day."}), "note"),
        (Reply(sources=[]), "note"),  # declared, but empty in this one
        (SPOKEN, "said"),
        ({"thought": "The passage says that it opens at 6:00.", "answer": "At 6:00."}, "answer"),
        ({"url": "https://example.org/a/long/address", "reply_text": "At 6.", "n": 3}, "reply_text"),
        ({"answer": None, "note": "It opens at 6:00."}, "note"),  # nothing that is said stays unread
        ({"n": 3, "tags": ["a"]}, None),
        ({"b": "6点开门。", "a": "abcdefgh"}, "b"),
    ],
    ids=str,
)
def test_the_answer_is_the_longest_free_text_by_schema(value, field):
    """Not a list, a choice, an enum or a text of a given pattern."""
    assert answer_field(value) == field


def test_the_caller_may_name_it():
    assert answer_field(REPLY, "link") == "link"
    with pytest.raises(UsageError, match=r"Reply has no field 'txt' for the answer.*'text'"):
        answer_field(REPLY, "txt")
    with pytest.raises(UsageError, match=r"field 'sources' of Reply must hold the answer's text, got list"):
        answer_field(REPLY, "sources")
    with pytest.raises(UsageError, match=r"dict, a pydantic model or a dataclass, got str"):
        answer_field("text")
    assert not is_structured(Reply)


@pytest.mark.parametrize(("value", "field"), [(REPLY, "text"), (SPOKEN, "said"), ({"said": "No.", "n": 1}, "said")])
def test_another_text_leaves_the_type_and_the_other_fields(value, field):
    before = repr(value)
    new = replaced(value, field, "Closed.")
    assert type(new) is type(value)
    assert text_in(new, field) == "Closed."
    assert repr(new) == before.replace(repr(text_in(value, field)), "'Closed.'")
    assert repr(value) == before


def test_the_text_of_an_empty_field_is_empty():
    assert text_in(Reply(sources=[]), "note") == ""
