"""Responses through the service, streamed and not, by the real client."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel

from tests.support.proxied import PASSAGES, POLICIES, RAW, RIGHT, WRONG, client, proxy
from tests.support.proxied_responses import EXPECTED, INPUT, ask, message, response, script, streamed

CALL = {"type": "function_call", "id": "f", "call_id": "d", "name": "look", "arguments": "{}", "status": "completed"}


class Said(BaseModel):
    answer: str


@pytest.mark.parametrize("action", POLICIES)
def test_a_response_holds_the_delivered_text(action):
    with proxy(script, action) as (url, upstream):
        said = ask(url)
    assert said.output_text == EXPECTED[action]
    assert (RAW in said.model_dump_json()) == (action == "allow")
    assert said.output[0].encrypted_content == "e"
    assert said.guardrail["action"] == ("allow" if action == "regenerate" else action)
    assert [p["found_in"] for p in said.guardrail["passages"]] == ["input[2].output"] * 2
    blocked = (said.status, said.incomplete_details and said.incomplete_details.reason)
    assert blocked == (("incomplete", "content_filter") if action == "block" else ("completed", None))
    if action == "regenerate":
        assert upstream.bodies[1]["input"][:3] == INPUT
        assert upstream.bodies[1]["input"][3] == {"role": "assistant", "content": WRONG}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("action", POLICIES)
def test_objects_keep_their_type(action, stream):
    def objects(body):
        told = "was checked against the passages" in json.dumps(body["input"])
        item = message(json.dumps({"answer": RIGHT if told else WRONG}))
        return streamed(item) if body.get("stream") else response(item)

    with proxy(objects, action) as (url, _):
        if stream:
            with client(url).responses.stream(model="m", input=INPUT, text_format=Said) as events:
                said = events.get_final_response()
        else:
            said = client(url).responses.parse(model="m", input=INPUT, text_format=Said)
    assert said.output_parsed == Said(answer=EXPECTED[action])


@pytest.mark.parametrize("stream", [False, True])
def test_calls_of_tools_pass(stream):
    def calling(body):
        output = [message("Let me look, Halloway."), CALL]
        return streamed(*output) if body.get("stream") else response(*output)

    with proxy(calling, guard={"policy": "strict"}) as (url, _):
        tools = [{"type": "function", "name": "look", "parameters": {}}]
        said = ask(url, input="How high?", tools=tools, stream=stream)
        if stream:
            events = list(said)
            assert (
                "".join(e.delta for e in events if e.type == "response.output_text.delta") == "Let me look, Halloway."
            )
            said = events[-1].response
    assert (said.output[1].name, said.output_text) == ("look", "Let me look, Halloway.")
    assert said.guardrail["checked"] is False


@pytest.mark.parametrize("stream", [False, True])
def test_what_the_upstream_looked_up_is_evidence(stream):
    results = [{"file_id": "f1", "filename": "dam.txt", "text": PASSAGES[0], "score": 0.9, "attributes": {}}]
    search = {"type": "file_search_call", "id": "s", "status": "completed", "queries": ["?"], "results": results}

    def searching(body):
        output = [search, message(RIGHT)]
        return streamed(*output) if body.get("stream") else response(*output)

    with proxy(searching, guard={"policy": "strict", "engine": "python:tests.support.proxied:engine"}) as (url, _):
        said = ask(url, input="How high?", stream=stream)
        said = list(said)[-1].response if stream else said
    assert said.output_text == RIGHT
    assert [(p["id"], p["title"], p["kind"]) for p in said.guardrail["passages"]] == [
        ("f1", "dam.txt", "file_search_call")
    ]


def test_several_messages_are_checked_one_by_one():
    def two(body):
        output = [message(WRONG, "m1"), message(RIGHT, "m2")]
        return streamed(*output) if body.get("stream") else response(*output)

    with proxy(two, "redact") as (url, _):
        said = ask(url)
        streamed_text = list(ask(url, stream=True))[-1].response
    for each in (said, streamed_text):
        assert [item.content[0].text for item in each.output] == [RIGHT, RIGHT]
        assert [c["action"] for c in each.guardrail["choices"]] == ["redact", "allow"]
