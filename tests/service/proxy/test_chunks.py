"""Chunks: text taken out to be checked, all else in its order."""

from __future__ import annotations

import openai
import pytest

from tests.support.openai_clients import joined
from tests.support.proxied import (
    ASKED,
    QUESTION,
    RAW,
    RIGHT,
    WRONG,
    chunk,
    client,
    proxy,
    sse,
    streamed,
    words,
)


def ask(url, **more):
    return list(client(url).chat.completions.create(**({"model": "m", "messages": ASKED, "stream": True} | more)))


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
    events[-1]["choices"][0]["logprobs"] = tokens
    with proxy(lambda _: sse(*events), "redact") as (url, _):
        chunks = ask(url)
    assert RAW not in "".join(c.model_dump_json() for c in chunks)
    assert joined(chunks) == RIGHT
    assert chunks[-1].timings == {"ms": 4}


def test_an_upstream_without_a_last_sign_and_one_without_choices():
    """Some end with the reason of the end; some send what has no choices first (Azure)."""
    first = {"id": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}]}
    pieces = [sse(first, done=False)[0], *streamed(RIGHT, usage=False)[:-1]]
    with proxy(lambda _: pieces) as (url, _):
        chunks = ask(url)
    assert chunks[0].prompt_filter_results == [{"prompt_index": 0}]
    assert joined(chunks) == RIGHT


@pytest.mark.parametrize("bad", ["[]", "{", '{"choices":[3]}', '{"error":{"message":"overloaded"}}'])
def test_a_stream_that_goes_wrong_in_the_middle(bad):
    with (
        proxy(lambda _: [*streamed(RIGHT)[:3], *sse(bad)]) as (url, _),
        pytest.raises(openai.APIError, match=r"upstream|overloaded"),
    ):
        ask(url)
