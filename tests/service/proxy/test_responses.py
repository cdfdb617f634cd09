"""Responses through the service, streamed and not, by the real client."""

from __future__ import annotations

import asyncio
import json

import openai
import pytest
from pydantic import BaseModel

from guardrail.repair.edits import BLOCKED
from tests.support.proxied import PASSAGES, POLICIES, RAW, RIGHT, WRONG, client, proxy, words

EXPECTED = {"allow": WRONG, "redact": RIGHT, "regenerate": RIGHT, "block": BLOCKED["en"]}
INPUT = [
    {"role": "user", "content": "How high is it?"},
    {"type": "function_call", "name": "search", "call_id": "c", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": json.dumps([{"text": p} for p in PASSAGES])},
]
THOUGHT = {
    "type": "reasoning",
    "id": "t",
    "summary": [{"type": "summary_text", "text": f"{RAW}?"}],
    "encrypted_content": "e",
}
CALL = {"type": "function_call", "id": "f", "call_id": "d", "name": "look", "arguments": "{}", "status": "completed"}
LONG = f"{RIGHT} It was opened in the year 1963 by the regional water board. {WRONG} And so on, as far as known."
CHECKED = f"{RIGHT} It was opened in the year 1963 by the regional water board. {RIGHT}"


class Said(BaseModel):
    answer: str


def message(text, ident="m1"):
    note = {"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 3}
    part = {"type": "output_text", "text": text, "annotations": [note], "logprobs": []}
    return {"type": "message", "id": ident, "role": "assistant", "status": "completed", "content": [part]}


def response(*output, **more):
    said = {
        "id": "r",
        "object": "response",
        "created_at": 0,
        "model": "m",
        "output": list(output),
        "status": "completed",
    }
    return said | {"parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "incomplete_details": None} | more


def streamed(*output):
    """The events of a response, in the vendor's order."""
    events = [("response.created", {"response": response(status="in_progress")})]
    for at, item in enumerate(output):
        empty = item | ({"content": [], "status": "in_progress"} if item["type"] == "message" else {})
        events.append(("response.output_item.added", {"output_index": at, "item": empty}))
        if item["type"] == "reasoning":
            events.append(
                (
                    "response.reasoning_summary_text.delta",
                    {"output_index": at, "delta": f"{RAW}?", "summary_index": 0, "item_id": "t"},
                )
            )
        if item["type"] == "message":
            (part,) = item["content"]
            where = {"output_index": at, "content_index": 0, "item_id": item["id"]}
            events.append(("response.content_part.added", where | {"part": part | {"text": "", "annotations": []}}))
            events += [
                ("response.output_text.delta", where | {"delta": w, "logprobs": [], "obfuscation": w})
                for w in words(part["text"])
            ]
            events.append(
                (
                    "response.output_text.annotation.added",
                    where | {"annotation_index": 0, "annotation": part["annotations"][0]},
                )
            )
            events.append(("response.output_text.done", where | {"text": part["text"], "logprobs": []}))
            events.append(("response.content_part.done", where | {"part": part}))
        events.append(("response.output_item.done", {"output_index": at, "item": item}))
    events.append(("response.completed", {"response": response(*output)}))
    return [
        f"event: {kind}\ndata: {json.dumps({'type': kind, 'sequence_number': n} | data)}\n\n".encode()
        for n, (kind, data) in enumerate(events)
    ]


def script(body):
    told = "was checked against the passages" in json.dumps(body["input"])
    output = [THOUGHT, message(RIGHT if told else WRONG)]
    return streamed(*output) if body.get("stream") else response(*output)


def ask(url, **more):
    return client(url).responses.create(**({"model": "m", "input": INPUT} | more))


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


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
@pytest.mark.parametrize("action", POLICIES)
def test_a_stream_holds_the_delivered_text(action, mode):
    """Its deltas, its snapshots and its last event say the same; the events are numbered one by one."""
    with proxy(script, action) as (url, _):
        events = list(ask(url, stream=True, extra_body={"guardrail": {"stream": mode}}))
    assert "".join(e.delta for e in events if e.type == "response.output_text.delta") == EXPECTED[action]
    assert (RAW in "".join(e.model_dump_json() for e in events)) == (action == "allow")
    assert [e.sequence_number for e in events] == list(range(len(events)))
    last = events[-1].response
    assert last.output_text == EXPECTED[action]
    assert last.guardrail["action"] == ("allow" if action == "regenerate" else action)
    assert events[-1].type == ("response.incomplete" if action == "block" else "response.completed")
    dones = [e.text for e in events if e.type == "response.output_text.done"]
    items = [
        e.item.content[0].text for e in events if e.type == "response.output_item.done" and e.item.type == "message"
    ]
    assert dones == items == [EXPECTED[action]]


def test_what_is_only_observed_leaves_as_it_is():
    with proxy(script, "block", guard={"stream": "observe"}) as (url, upstream):
        events = list(ask(url, stream=True))
    assert "".join(e.delta for e in events if e.type == "response.output_text.delta") == WRONG
    last = events[-1].response
    assert (last.output_text, last.status, len(upstream.seen)) == (WRONG, "completed", 1)
    assert (last.guardrail["action"], last.guardrail["observed"]) == ("block", True)


def test_a_block_in_the_middle_ends_the_stream_well():
    """Though the upstream is asked for no more."""
    stop = asyncio.Event()
    pieces = streamed(message(LONG + " And so on, as far as anybody can tell." * 20))

    async def reply(send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        for piece in pieces[:50]:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await stop.wait()

    with proxy(lambda _: reply) as (url, upstream):
        events = list(ask(url, stream=True))
        assert upstream.left.wait(30)
    said = f"{CHECKED}\n\n{BLOCKED['en']}"
    assert "".join(e.delta for e in events if e.type == "response.output_text.delta") == said
    assert [e.type for e in events[-4:]] == [
        "response.output_text.done", "response.content_part.done", "response.output_item.done", "response.incomplete",
    ]  # fmt: skip
    assert (events[-1].response.output_text, events[-1].response.id) == (said, "r")
    assert events[-1].response.guardrail["action"] == "block"
    assert [e.sequence_number for e in events] == list(range(len(events)))


@pytest.mark.parametrize("form", ["refusal", "error"])
@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_forms_of_a_block(form, mode):
    def whole(url):
        return list(ask(url, stream=True, extra_body={"guardrail": {"stream": mode}}))

    with proxy(script, block=form) as (url, _):
        if form == "error":
            with pytest.raises(openai.APIError, match="reliable"):
                whole(url)
            with pytest.raises(openai.BadRequestError, match="reliable"):
                ask(url)
            return
        last = whole(url)[-1]
        for said in (last.response, ask(url)):
            assert said.output[-1].content[0].refusal == BLOCKED["en"]
            assert said.status == "completed"


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_the_stream_helper_of_the_client(mode):
    with proxy(script, "redact") as (url, _):
        given = {"model": "m", "input": INPUT, "extra_body": {"guardrail": {"stream": mode}}}
        with client(url).responses.stream(**given) as stream:
            assert stream.get_final_response().output_text == RIGHT


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


def test_work_in_the_background_is_refused():
    with proxy(script) as (url, upstream), pytest.raises(openai.UnprocessableEntityError, match="background"):
        ask(url, background=True)
    assert upstream.seen == []


@pytest.mark.parametrize("cut", [1, 6, -1])
def test_a_stream_that_breaks_off(cut):
    with proxy(lambda _: streamed(message(RIGHT))[:cut]) as (url, _), pytest.raises(openai.APIError, match="broke off"):
        list(ask(url, stream=True))


def test_a_response_that_failed_says_so_without_its_text():
    failed = {"type": "response.failed", "sequence_number": 1, "response": response(message(RAW), status="failed")}
    pieces = [streamed()[0], f"event: response.failed\ndata: {json.dumps(failed)}\n\n".encode()]
    with proxy(lambda _: pieces) as (url, _):
        events = list(ask(url, stream=True))
    assert [e.type for e in events] == ["response.created", "response.failed"]
    assert (events[-1].response.output, events[-1].response.status) == ([], "failed")
