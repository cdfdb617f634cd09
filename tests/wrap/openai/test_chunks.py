"""What of the chunks of a stream leaves."""

from __future__ import annotations

import openai
import pytest

from guardrail import Action
from guardrail.repair.edits import BLOCKED
from guardrail.wrap.openai import GuardedOpenAI
from tests.support.openai_clients import (
    ASKED,
    HEAD,
    PASSAGES,
    RAW,
    TOKENS,
    WRONG,
    Scripted,
    ask,
    clients,
    guard,
    joined,
)


def test_drafts_in_a_stream_are_withheld_too():
    """The same, in chunks whose every delta has a role."""
    pieces = [{"role": "assistant", "reasoning_content": RAW}, {"role": "assistant", "content": WRONG}, {}]
    ends = [None, None, "stop"]
    choices = [
        {"index": 0, "delta": p, "finish_reason": e, "logprobs": TOKENS} for p, e in zip(pieces, ends, strict=True)
    ]
    stray = {"index": 1, "delta": {"content": RAW}, "finish_reason": None}  # nobody asked for a second answer
    body = [
        HEAD | {"object": "chat.completion.chunk", "choices": [choice]} for choice in [*choices[:2], stray, choices[2]]
    ]
    with Scripted(body) as server, openai.OpenAI(base_url=server.base_url, api_key="any") as plain:
        client = GuardedOpenAI(plain, guard())
        chunks = list(client.chat.completions.create(model="m", messages=ASKED, passages=PASSAGES, stream=True))
    assert RAW not in "".join(map(repr, chunks))
    assert joined(chunks) == BLOCKED["en"]
    assert [c.delta.role for chunk in chunks for c in chunk.choices].count("assistant") == 1


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_words_beside_a_call_of_a_tool_are_no_answer(mode):
    """In buffer mode they pass as they are; in sentence mode it is not yet known, so they are checked."""
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    deltas = [{"role": "assistant", "content": "I ask Halloway."}, {"tool_calls": [call]}]
    choices = [{"index": 0, "delta": d, "finish_reason": None} for d in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "tool_calls"})
    body = [HEAD | {"object": "chat.completion.chunk", "choices": [choice]} for choice in choices]
    with Scripted(body) as server, openai.OpenAI(base_url=server.base_url, api_key="any") as plain:
        client = GuardedOpenAI(plain, guard(), mode=mode)
        stream = client.chat.completions.create(model="m", messages=ASKED, passages=PASSAGES, stream=True)
        chunks = list(stream)
    assert joined(chunks) == ("I ask Halloway." if mode == "buffer" else BLOCKED["en"])
    assert (stream.guardrail is None) == (mode == "buffer")
    tools = [c.delta.tool_calls for chunk in chunks for c in chunk.choices if c.delta.tool_calls]
    assert [tool.function.name for [tool] in tools] == ["look"]


def test_a_stream_cut_short_says_so():
    """Nothing more may leave: the reason of the end is the filter, and the model's stream is closed."""
    with clients(lambda _: "Rita Halloway built it. " + "It was opened in 1963. " * 50, mode="sentence") as pair:
        chunks, guarded = ask(pair, "stream")
    assert guarded.action is Action.BLOCK
    assert [c.finish_reason for c in chunks[-1].choices] == ["content_filter"]
