"""Passages of a request: each once, with an id of its own."""

from __future__ import annotations

import json

from guardrail.retrieval.request.evidence import find_evidence
from guardrail.retrieval.request.found import Found, Ignored, distinct
from guardrail.types import Passage

DAM = "The dam is 64 metres high."


OPENED = "It was opened in 1963."


def chat(*messages, **more):
    return {"model": "m", "messages": list(messages), **more}


def test_the_same_text_counts_once_and_ids_are_unique():
    body = chat(
        {"role": "tool", "content": json.dumps([{"text": DAM, "id": "a"}, {"text": OPENED, "id": "a"}])},
        {"role": "tool", "content": json.dumps([{"text": DAM, "id": "b"}, {"text": "Third.", "id": "2"}, "Fourth."])},
    )
    evidence = find_evidence(body)
    assert [p.id for p in evidence.passages] == ["a", "a'", "2", "4"]


def test_a_number_that_somebody_has_as_an_id_is_not_given_twice() -> None:
    found = [Found(passage=Passage(text=text, id=ident), kind="documents", place="documents") for text, ident in (
        ("One.", ""), ("Two.", "1"), ("Three.", "1"), ("Four.", "1"), ("  One. ", ""), (" ", "x"),
    )]  # fmt: skip
    assert [(each.passage.id, each.passage.text) for each in distinct(found)] == [
        ("1*", "One."),
        ("1", "Two."),
        ("1'", "Three."),
        ("1'2", "Four."),
    ]


def test_records_say_where_it_stood_and_not_what_it_says() -> None:
    found = Found(passage=Passage(text=DAM, id="d", title="Dam"), kind="documents", place="documents[0]")
    assert found.record() == {"id": "d", "title": "Dam", "kind": "documents", "found_in": "documents[0]"}
    ignored = Ignored(kind="tool_message", place="messages[1]", reason="tools are not trusted")
    assert ignored.record() == {
        "kind": "tool_message",
        "found_in": "messages[1]",
        "reason": "tools are not trusted",
    }
