"""Completions with checked text."""

from __future__ import annotations

import json

import openai
import pytest
from openai.types.chat import ChatCompletion

from guardrail import GuardedAnswer
from guardrail.testing import Reply
from guardrail.wrap.openai import GuardedOpenAI
from tests.support.openai_clients import (
    ACTIONS,
    ASKED,
    EXPECTED,
    HEAD,
    PASSAGES,
    RAW,
    RIGHT,
    TOKENS,
    WRONG,
    Scripted,
    ask,
    clients,
    guard,
)


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_completion_holds_the_delivered_text(way, action):
    """And is a ChatCompletion like any other; withheld text is in no field of it."""
    with clients(action=action) as pair:
        completion = ask(pair, way)
    assert isinstance(completion, ChatCompletion)
    assert isinstance(completion.guardrail, GuardedAnswer)
    assert completion.guardrail.report.question == "How high is it?"
    text = completion.choices[0].message.content
    assert text == completion.guardrail.text == EXPECTED.get(action, text)
    assert action != "annotate" or text.startswith(RIGHT)
    seen = completion.model_dump_json() + repr(completion) + json.dumps(completion.to_dict())
    assert (RAW in seen) == (action in {"allow", "annotate"})
    assert "guardrail" not in seen
    plain = ChatCompletion.model_validate(completion.model_dump())
    assert (plain.id, plain.model, plain.usage.prompt_tokens > 0) == ("chatcmpl-1", "m", True)
    assert plain.choices[0].finish_reason == "stop"
    assert completion.guardrail.attempts == (2 if action == "regenerate" else 1)


@pytest.mark.parametrize("way", ["sync", "async", "stream", "astream"])
@pytest.mark.parametrize(
    "reply", [Reply('{"a": 1}', tool="look"), Reply(refusal="I would rather not.")], ids=["tool", "refusal"]
)
def test_calls_of_tools_and_refusals_are_left_alone(way, reply):
    """There is no answer to check."""
    with clients(lambda _: reply) as pair:
        got = ask(pair, way)
    if way in {"sync", "async"}:
        message, guarded, end = got.choices[0].message, got.guardrail, got.choices[0].finish_reason
    else:
        chunks, guarded = got
        deltas = [c.delta for chunk in chunks for c in chunk.choices]
        message = next(d for d in deltas if d.tool_calls or d.refusal)
        end = chunks[-1].choices[0].finish_reason
    assert guarded is None
    assert message.refusal == reply.refusal
    assert end == ("tool_calls" if reply.tool else "stop")
    if reply.tool:
        assert message.tool_calls[0].function.name == "look"
        assert message.tool_calls[0].function.arguments == '{"a": 1}'


SAID = {"content": WRONG, "role": "assistant", "reasoning_content": f"{RAW} surely", "annotations": []}


def test_drafts_and_tokens_beside_a_withheld_text_are_withheld_too():
    """Reasoning in fields of its own, tokens with probabilities, ids of tokens."""
    choice = {"index": 0, "message": SAID, "finish_reason": "stop", "logprobs": TOKENS, "token_ids": [RAW]}
    body = HEAD | {"object": "chat.completion", "choices": [choice], "provider": "p"}
    with Scripted(body) as server:
        client = GuardedOpenAI(openai.OpenAI(base_url=server.base_url, api_key="any"), guard())
        completion = client.chat.completions.create(model="m", messages=ASKED, passages=PASSAGES)
    assert RAW not in completion.model_dump_json() + repr(completion)
    assert completion.model_extra == {"provider": "p"}
