"""Streams of chat completions through the service, by the real client."""

from __future__ import annotations

import asyncio
import json

import httpx
import openai
import pytest
from pydantic import BaseModel

from guardrail.repair.edits import BLOCKED
from tests.support.openai_clients import joined
from tests.support.proxied import (
    ASKED,
    POLICIES,
    QUESTION,
    RAW,
    RIGHT,
    WRONG,
    chunk,
    client,
    model,
    paced,
    proxy,
    streamed,
    words,
)  # fmt: skip

EXPECTED = {"allow": WRONG, "redact": RIGHT, "regenerate": RIGHT, "block": BLOCKED["en"]}
LONG = f"{RIGHT} It was opened in the year 1963 by the regional water board. {WRONG} It is closed now."
CHECKED = f"{RIGHT} It was opened in the year 1963 by the regional water board. {RIGHT}"


class Said(BaseModel):
    answer: str


def ask(url, **more):
    return list(client(url).chat.completions.create(**({"model": "m", "messages": ASKED, "stream": True} | more)))


def in_mode(mode):
    return {"extra_body": {"guardrail": {"stream": mode}}}


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
@pytest.mark.parametrize("action", POLICIES)
def test_a_stream_holds_the_delivered_text(action, mode):
    """Role first, then text, then the reason of the end with what was found, and the usage."""
    with proxy(model, action) as (url, _):
        chunks = ask(url, stream_options={"include_usage": True}, **in_mode(mode))
    assert joined(chunks) == EXPECTED[action]
    assert (RAW in "".join(c.model_dump_json() for c in chunks)) == (action == "allow")
    assert chunks[0].choices[0].delta.role == "assistant"
    (end,) = [c for c in chunks if c.choices and c.choices[0].finish_reason]
    assert end.choices[0].finish_reason == ("content_filter" if action == "block" else "stop")
    assert end.guardrail["action"] == ("allow" if action == "regenerate" else action)
    assert len(end.guardrail["passages"]) == 2
    assert chunks[-1].usage.total_tokens == 7


@pytest.mark.parametrize("action", ["redact", "block"])
def test_what_is_only_observed_leaves_as_it_is(action):
    """And the last chunk says what the policy would have done."""
    with proxy(model, action, guard={"stream": "observe"}) as (url, upstream):
        chunks = ask(url)
    assert (joined(chunks), len(upstream.seen)) == (WRONG, 1)
    (end,) = [c for c in chunks if c.choices and c.choices[0].finish_reason]
    assert (end.guardrail["action"], end.guardrail["observed"]) == (action, True)
    assert end.choices[0].finish_reason == "stop"


def test_a_block_in_the_middle_ends_the_stream_in_a_form_that_clients_survive():
    """Checked text stays; status 200, the message, content_filter, [DONE]; the upstream is asked for no more."""
    halfway = asyncio.Event()

    async def hold():
        if next(sent) == 45:
            await halfway.wait()

    sent = iter(range(1_000))
    text = LONG + " And so on, as far as anybody can tell." * 20
    with proxy(lambda _: paced(streamed(text), hold)) as (url, upstream):
        with httpx.stream(
            "POST", f"{url}/v1/chat/completions", json={"model": "m", "messages": ASKED, "stream": True}
        ) as reply:
            assert (reply.status_code, reply.headers["x-guardrail-stream"]) == (200, "sentence")
            lines = [line for line in reply.iter_lines() if line]
        assert upstream.left.wait(30)
    assert lines[-1] == "data: [DONE]"
    events = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
    said = "".join(e["choices"][0]["delta"].get("content") or "" for e in events)
    assert said == f"{CHECKED}\n\n{BLOCKED['en']}"
    assert events[-1]["choices"][0]["finish_reason"] == "content_filter"
    assert events[-1]["guardrail"]["action"] == "block"
    assert RAW not in "".join(lines)


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_forms_of_a_block(mode):
    with proxy(model, block="refusal") as (url, _):
        chunks = ask(url, **in_mode(mode))
    assert "".join(c.choices[0].delta.refusal or "" for c in chunks if c.choices) == BLOCKED["en"]
    assert joined(chunks) == ""
    with proxy(model, block="error") as (url, _), pytest.raises(openai.APIError, match="reliable") as raised:
        ask(url, **in_mode(mode))
    assert raised.value.code == "content_filter"


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_several_choices(mode):
    """Which come in turns; each has its own end."""
    with proxy(lambda _: streamed(RIGHT, LONG, WRONG), "redact") as (url, _):
        chunks = ask(url, n=3, **in_mode(mode))
    texts = {n: "".join(c.delta.content or "" for x in chunks for c in x.choices if c.index == n) for n in range(3)}
    assert texts == {0: RIGHT, 1: f"{CHECKED} It is closed now.", 2: RIGHT}
    ends = {c.index: x.guardrail["action"] for x in chunks for c in x.choices if c.finish_reason}
    assert ends == {0: "allow", 1: "redact", 2: "redact"}
    assert chunks[-1].usage.total_tokens == 7


@pytest.mark.parametrize("action", POLICIES)
def test_objects(action):
    """The stream helper of the real client; nothing leaves before the object is there."""

    def script(body):
        told = any("was checked against the passages" in str(m["content"]) for m in body["messages"])
        text = json.dumps({"answer": RIGHT if told else WRONG})
        if body.get("stream"):
            return streamed(text)
        return {
            **json.loads(json.dumps(chunk({}))),
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        }

    given = {"model": "m", "messages": ASKED, "response_format": Said}
    with proxy(script, action) as (url, _), client(url).chat.completions.stream(**given) as stream:
        said = stream.get_final_completion()
    assert said.choices[0].message.parsed == Said(answer=EXPECTED[action])


def test_no_passages_and_none_wanted():
    """The text passes as it comes."""
    with proxy(model, without_passages="skip") as (url, _):
        chunks = ask(url, messages=[QUESTION])
    assert joined(chunks) == WRONG
    assert len([c for c in chunks if joined([c])]) == len(words(WRONG))
    (end,) = [c for c in chunks if c.choices and c.choices[0].finish_reason]
    assert (end.guardrail["checked"], end.guardrail["action"]) == (False, "allow")
