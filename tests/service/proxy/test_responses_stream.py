"""Streams of responses through the service, by the real client."""

from __future__ import annotations

import asyncio
import json

import openai
import pytest

from guardrail.repair.edits import BLOCKED
from tests.support.proxied import POLICIES, RAW, RIGHT, WRONG, client, proxy
from tests.support.proxied_responses import CHECKED, EXPECTED, INPUT, LONG, ask, message, response, script, streamed


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
