"""What the tools of an agent returned, as passages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from guardrail import Passage
from guardrail.retrieval.request.tool_outputs import distinct, passages_of

DAM, OPENED = "The dam is 64 metres high.", "It was opened in 1963."


class Hit(BaseModel):
    text: str
    title: str


class Reading(BaseModel):
    height: int


@pytest.mark.parametrize(
    ("result", "found"),
    [
        (DAM, [(DAM, "search")]),
        (json.dumps([{"text": DAM, "title": "T"}]), [(DAM, "T")]),
        (Passage(text=DAM, title="T"), [(DAM, "T")]),
        ([Passage(text=DAM), Passage(text=OPENED, title="T")], [(DAM, "search"), (OPENED, "T")]),
        (Hit(text=DAM, title="T"), [(DAM, "T")]),
        ((Hit(text=DAM, title="T"), OPENED), [(DAM, "T"), (OPENED, "search")]),
        ({"documents": [{"content": OPENED}]}, [(OPENED, "search")]),
        (Reading(height=64), [('{"height": 64}', "search")]),
        (64, [("64", "search")]),
        (None, [("null", "search")]),
        ("", []),
        ([], [("[]", "search")]),
        ("  ", []),
    ],
)
def test_documents_where_there_are_some_else_the_text(result: Any, found: list[tuple[str, str]]) -> None:
    assert [(p.text, p.title) for p in passages_of(result, "search")] == found


def test_each_passage_once_and_every_id_once() -> None:
    given = [Passage(text=DAM, id="a"), Passage(text=OPENED, id="a"), Passage(text=DAM, id="b"), Passage(text="Third.")]
    unique = distinct(given)
    assert [p.text for p in unique] == [DAM, OPENED, "Third."]
    assert len({p.id for p in unique}) == 3


def test_the_same_text_under_two_titles_is_two_passages() -> None:
    unique = distinct([Passage(text=DAM, title="A"), Passage(text=DAM, title="B"), Passage(text=DAM, title="A")])
    assert [p.title for p in unique] == ["A", "B"]


def test_models_within_an_object_are_read_too() -> None:
    [passage] = passages_of({"results": [Hit(text=DAM, title="T")]}, "search")
    assert (passage.text, passage.title) == (DAM, "T")
