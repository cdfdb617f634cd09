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
    proxy,
    sse,
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


def paced(pieces, go):
    """A stream that waits for a sign before each piece beyond the first so many."""

    async def reply(send):
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            await go()
        await send({"type": "http.response.body", "body": b""})

    return reply


def test_sentences_leave_before_the_answer_is_there():
    """The upstream goes no further until the client has seen the first sentence."""
    seen = asyncio.Event()
    loops = []

    async def hold():
        loops.append(asyncio.get_running_loop())
        if len(loops) == len(words(LONG)):  # almost all of it is on its way
            await seen.wait()

    with proxy(lambda _: paced(streamed(LONG), hold)) as (url, _):
        stream = client(url).chat.completions.create(model="m", messages=ASKED, stream=True)
        text = ""
        for each in stream:
            text += joined([each])
            if RIGHT in text and not seen.is_set():
                loops[0].call_soon_threadsafe(seen.set)
    assert text.startswith(RIGHT)


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


CALL = {"index": 0, "id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}


@pytest.mark.parametrize("thoughts", ["drop", "pass"])
def test_calls_of_tools_pass(thoughts):
    """With what the model thought, which vendors want back, and with words beside them where nothing is known yet."""
    events = [
        chunk({"role": "assistant", "content": None, "reasoning_content": "Hm."}),
        chunk({"content": "Let me look that up for you, Halloway."}),
        chunk({"tool_calls": [CALL]}),
        chunk({}, finish="tool_calls"),
    ]
    with proxy(lambda _: sse(*events), thoughts=thoughts, guard={"policy": "strict"}) as (url, _):
        chunks = ask(url, messages=[QUESTION], tools=[{"type": "function", "function": {"name": "search"}}])
    deltas = [c.choices[0].delta for c in chunks]
    assert [d.tool_calls[0].function.name for d in deltas if d.tool_calls] == ["search"]
    assert [d.reasoning_content for d in deltas if getattr(d, "reasoning_content", None)] == ["Hm."]
    assert joined(chunks) == "Let me look that up for you, Halloway."
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


def test_thoughts_and_probabilities_are_left_out_of_answers():
    tokens = {"content": [{"token": RAW, "logprob": -1, "bytes": None, "top_logprobs": []}]}
    events = [chunk({"role": "assistant", "reasoning": f"{RAW}?"}), *(chunk({"content": w}) for w in words(WRONG))]
    events[2]["choices"][0]["logprobs"] = tokens
    events += [chunk({"annotations": [{"quote": RAW}]}), chunk({}, finish="stop", timings={"ms": 4})]
    with proxy(lambda _: sse(*events), "redact") as (url, _):
        chunks = ask(url)
    assert RAW not in "".join(c.model_dump_json() for c in chunks)
    assert joined(chunks) == RIGHT
    assert chunks[-1].timings == {"ms": 4}


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


def test_an_upstream_without_a_last_sign_and_one_without_choices():
    """Some end with the reason of the end; some send what has no choices first (Azure)."""
    first = {"id": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}]}
    pieces = [sse(first, done=False)[0], *streamed(RIGHT, usage=False)[:-1]]
    with proxy(lambda _: pieces) as (url, _):
        chunks = ask(url)
    assert chunks[0].prompt_filter_results == [{"prompt_index": 0}]
    assert joined(chunks) == RIGHT


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_a_stream_that_breaks_off_is_an_error_behind_what_was_checked(mode):
    with proxy(lambda _: streamed(LONG)[: len(words(LONG)) - 2]) as (url, _):
        stream = client(url).chat.completions.create(model="m", messages=ASKED, stream=True, **in_mode(mode))
        seen = []
        with pytest.raises(openai.APIError, match="broke off"):
            seen.extend(each for each in iter(lambda: next(stream), None))
    assert RAW not in joined(seen)


@pytest.mark.parametrize("bad", ["[]", "{", '{"choices":[3]}', '{"error":{"message":"overloaded"}}'])
def test_a_stream_that_goes_wrong_in_the_middle(bad):
    with (
        proxy(lambda _: [*streamed(RIGHT)[:3], *sse(bad)]) as (url, _),
        pytest.raises(openai.APIError, match=r"upstream|overloaded"),
    ):
        ask(url)
