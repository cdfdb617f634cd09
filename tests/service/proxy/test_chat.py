"""Chat completions through the service, by the real client."""

from __future__ import annotations

import json

import httpx
import openai
import pytest

from guardrail.repair.edits import BLOCKED
from tests.support.proxied import (
    ASKED,
    PASSAGES,
    POLICIES,
    QUESTION,
    RAW,
    RIGHT,
    WRONG,
    client,
    completion,
    model,
    proxy,
)

EXPECTED = {"allow": WRONG, "redact": RIGHT, "regenerate": RIGHT, "block": BLOCKED["en"]}


def ask(url, **more):
    return client(url).chat.completions.create(**({"model": "m", "messages": ASKED} | more))


@pytest.mark.parametrize("action", POLICIES)
def test_the_delivered_text_is_the_guards(action):
    """And the reply says what was found, which passages were used and where they stood."""
    with proxy(model, action) as (url, upstream):
        raw = client(url).chat.completions.with_raw_response.create(model="m", messages=ASKED)
    said, guardrail = raw.parse(), raw.parse().guardrail
    choice = said.choices[0]
    assert choice.message.content == EXPECTED[action]
    assert choice.finish_reason == ("content_filter" if action == "block" else "stop")
    assert (RAW in raw.text) == (action == "allow")
    delivered = "allow" if action == "regenerate" else action
    assert raw.headers["x-guardrail-action"] == guardrail["action"] == delivered
    assert raw.headers["x-guardrail-verdict"] == guardrail["verdict"]
    assert float(raw.headers["x-guardrail-milliseconds"]) > 0
    assert guardrail["findings"][0]["evidence"][0]["quote"] == PASSAGES[0]
    assert [p["found_in"] for p in guardrail["passages"]] == ["messages[0].content"] * 2
    assert upstream.bodies[0] == {"model": "m", "messages": ASKED}
    if action == "regenerate":
        assert [m["role"] for m in upstream.bodies[1]["messages"]] == ["system", "user", "assistant", "user"]
        assert guardrail["attempts"] == 2
    if action == "block":
        assert "text" not in guardrail["findings"][0]


def test_several_choices_are_checked_one_by_one():
    with proxy(lambda _: completion(RIGHT, WRONG)) as (url, _):
        said = ask(url, n=2)
    assert [c.message.content for c in said.choices] == [RIGHT, BLOCKED["en"]]
    assert [c.finish_reason for c in said.choices] == ["stop", "content_filter"]
    assert said.guardrail["action"] == "block"
    assert [(c["index"], c["action"]) for c in said.guardrail["choices"]] == [(0, "allow"), (1, "block")]


@pytest.mark.parametrize(
    ("form", "content", "refusal", "finish"),
    [("content_filter", BLOCKED["en"], None, "content_filter"), ("refusal", None, BLOCKED["en"], "stop")],
)
def test_forms_of_a_block(form, content, refusal, finish):
    with proxy(model, block=form) as (url, _):
        choice = ask(url).choices[0]
    assert (choice.message.content, choice.message.refusal, choice.finish_reason) == (content, refusal, finish)


def test_a_block_as_an_error():
    with proxy(model, block="error") as (url, _), pytest.raises(openai.BadRequestError) as raised:
        ask(url)
    assert raised.value.code == "content_filter"
    assert BLOCKED["en"] in str(raised.value)
    assert RAW not in raised.value.response.text
    assert raised.value.response.json()["guardrail"]["action"] == "block"


def test_calls_of_tools_pass_with_what_goes_along():
    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    message = {"role": "assistant", "content": WRONG, "tool_calls": [call], "reasoning_content": "Hm."}
    reply = completion("x")
    reply["choices"][0] |= {"message": message, "finish_reason": "tool_calls"}
    with proxy(lambda _: reply) as (url, _):
        said = ask(url, tools=[{"type": "function", "function": {"name": "search", "parameters": {}}}])
    assert said.choices[0].message.tool_calls[0].function.name == "search"
    assert said.choices[0].message.content == WRONG
    assert said.choices[0].message.reasoning_content == "Hm."
    assert said.guardrail["checked"] is False


def test_results_of_tools_are_the_evidence_of_the_next_turn():
    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    turns = [QUESTION, {"role": "assistant", "content": None, "tool_calls": [call]}]
    turns.append({"role": "tool", "tool_call_id": "c", "content": json.dumps([{"text": p} for p in PASSAGES])})
    with proxy(model, "redact") as (url, _):
        said = ask(url, messages=turns)
    assert said.choices[0].message.content == RIGHT
    assert [(p["title"], p["found_in"]) for p in said.guardrail["passages"]] == [("search", "messages[2].content")] * 2


def test_what_holds_the_withheld_words_goes_with_them():
    """Thoughts always, unless settings pass them; other fields, where another text is delivered."""
    reply = completion(WRONG)
    reply["choices"][0]["message"] |= {"reasoning_content": RAW, "annotations": [{"quote": RAW}], "draft": RAW}
    reply["choices"][0]["logprobs"] = {"content": [{"token": RAW, "logprob": -1}]}
    with proxy(lambda _: reply, "redact") as (url, _):
        assert RAW not in client(url).chat.completions.with_raw_response.create(model="m", messages=ASKED).text
    with proxy(lambda _: reply, "allow") as (url, _):
        said = ask(url).choices[0]
        assert (said.message.draft, said.logprobs.content[0].token) == (RAW, RAW)
        assert not hasattr(said.message, "reasoning_content")
    with proxy(lambda _: reply, "allow", thoughts="pass") as (url, _):
        assert ask(url).choices[0].message.reasoning_content == RAW


def test_a_content_in_parts():
    """As Mistral writes it: thoughts are left out, each text is checked."""
    reply = completion("x")
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": RAW}]}, {"type": "text", "text": WRONG}]
    reply["choices"][0]["message"]["content"] = parts
    with proxy(lambda _: reply, "redact") as (url, _):
        said = httpx.post(f"{url}/v1/chat/completions", json={"model": "m", "messages": ASKED}).json()
    assert said["choices"][0]["message"]["content"] == [{"type": "text", "text": RIGHT}]
