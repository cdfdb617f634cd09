"""Documents in JSON, in the shapes that tools and retrievers return."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardrail.retrieval.request.documents import document, documents_in, documents_of
from guardrail.retrieval.request.evidence import Trust, find_evidence

DAM = "The dam is 64 metres high."


OPENED = "It was opened in 1963."


ASKED = {"role": "user", "content": "How high is the dam?"}


def found(body, **trust):
    evidence = find_evidence(body, Trust(**trust))
    return [(each.passage.text, each.kind, each.place) for each in evidence.found]


def chat(*messages, **more):
    return {"model": "m", "messages": list(messages), **more}


CALL = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (DAM, [(DAM, "search", "1")]),
        (
            json.dumps([{"text": DAM, "title": "Dam", "id": 7}, {"text": OPENED}]),
            [(DAM, "Dam", "7"), (OPENED, "search", "2")],
        ),
        (json.dumps({"results": [{"content": DAM, "source": "dam.pdf"}]}), [(DAM, "dam.pdf", "1")]),
        (json.dumps([{"page_content": DAM, "metadata": {"source": "s", "id": "m1"}}]), [(DAM, "s", "m1")]),
        (json.dumps([{"node": {"text": DAM, "id": "n"}, "score": 0.4}]), [(DAM, "search", "n")]),
        (json.dumps({"data": {"documents": [DAM, OPENED]}}), [(DAM, "search", "1"), (OPENED, "search", "2")]),
        (json.dumps({"documents": [[DAM], [OPENED]]}), [(DAM, "search", "1"), (OPENED, "search", "2")]),
        ('{"height": 64, "unit": "metres"}', [('{"height": 64, "unit": "metres"}', "search", "1")]),
        (json.dumps([{"text": DAM}, {"height": 64}]), [(json.dumps([{"text": DAM}, {"height": 64}]), "search", "1")]),
        ("{broken", [("{broken", "search", "1")]),
        ([{"type": "text", "text": DAM}], [(DAM, "search", "1")]),
        (f"<document><source>d.txt</source>{DAM}</document>", [(DAM, "d.txt", "1")]),
        ("", []),
    ],
)
def test_results_of_tools(content, expected):
    """Documents where there are some, else the text; the tool's name where there is no title."""
    asking = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    evidence = find_evidence(chat(ASKED, asking, {"role": "tool", "tool_call_id": "c", "content": content}))
    assert [(p.text, p.title, p.id) for p in evidence.passages] == expected
    assert {each.kind for each in evidence.found} <= {"tool_message"}
    assert evidence.question == "How high is the dam?"


def test_documents_beside_the_messages():
    """As vLLM and Cohere take them."""
    body = chat(ASKED, documents=[{"title": "Dam", "text": DAM}, OPENED, {"other": 1}])
    assert found(body) == [(DAM, "documents", "documents[0]"), (OPENED, "documents", "documents[1]")]


@pytest.mark.parametrize(
    ("item", "read"),
    [
        ({"text": DAM, "metadata": {"id": 7, "source": "dam.pdf"}}, (DAM, "7", "dam.pdf")),
        ({"document": {"content": DAM}, "id": "outer", "title": "T"}, (DAM, "outer", "T")),
        (
            {"content": [{"type": "text", "text": DAM}, {"type": "text", "text": OPENED}]},
            (f"{DAM}\n{OPENED}", "", None),
        ),
        ({"snippet": DAM, "url": "https://dam.example", "id": True}, (DAM, "", "https://dam.example")),
    ],
)
def test_an_object_is_read_with_its_id_and_title(item: dict[str, Any], read: tuple[str, str, str | None]) -> None:
    found = document(item)
    assert found is not None
    assert (found.text, found.id, found.title) == read


@pytest.mark.parametrize("item", ["", "  ", 3, None, [], {"text": ""}, {"text": ["a", 3]}, {"title": "no text"}])
def test_what_has_no_text_is_no_document(item: object) -> None:
    assert document(item) is None


def test_what_lies_too_deep_is_not_looked_for() -> None:
    def wrapped(times: int) -> Any:
        value: Any = [DAM]
        for _ in range(times):
            value = {"data": value}
        return value

    assert [p.text for p in documents_of(wrapped(6)) or ()] == [DAM]
    assert documents_of(wrapped(7)) is None
    assert documents_in("[" * 100_000) is None
