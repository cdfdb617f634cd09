"""Guarded streams of chunks."""

from __future__ import annotations

import asyncio

import pytest
from openai.types.chat import ChatCompletionChunk

from guardrail.testing import Reply
from tests.support.openai_clients import ACTIONS, ASKED, EXPECTED, PASSAGES, RAW, WRONG, ask, clients, joined


@pytest.mark.parametrize("mode", ["buffer", "sentence", "observe"])
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("way", ["stream", "astream"])
def test_a_stream_holds_the_delivered_text(way, action, mode):
    """Role first, then text, then the reason of the end and the usage."""
    with clients(action=action, mode=mode) as pair:
        chunks, guarded = ask(pair, way, stream_options={"include_usage": True})
    assert all(type(chunk) is ChatCompletionChunk for chunk in chunks)
    seen = "".join(chunk.model_dump_json() for chunk in chunks)
    shown = mode == "observe" or action in {"allow", "annotate"}
    assert (RAW in seen) == shown
    if mode != "observe":
        assert joined(chunks) == guarded.text
    if mode == "buffer":
        assert guarded.text == EXPECTED.get(action, guarded.text)
    assert chunks[0].choices[0].delta.role == "assistant"
    ends = [n for n, chunk in enumerate(chunks) if chunk.choices and chunk.choices[0].finish_reason]
    assert len(ends) == 1
    assert not any(c.delta.content for chunk in chunks[ends[0] :] for c in chunk.choices)
    if chunks[ends[0]].choices[0].finish_reason == "stop":
        assert chunks[-1].usage.total_tokens > 0


@pytest.mark.parametrize("way", ["stream", "astream"])
def test_a_stream_can_be_left_early(way):
    """As a context, and by closing it; then it is over, and its connection is free."""
    with clients(lambda _: "It was opened in 1963. " * 40, mode="observe") as (client, aclient, _):
        given = {"model": "m", "messages": ASKED, "passages": PASSAGES, "stream": True}

        def sync():
            with client.chat.completions.create(**given) as stream:
                next(stream)
                next(stream)
            return list(stream), stream._raw.response.is_closed

        async def awaited():
            async with aclient() as each, await each.chat.completions.create(**given) as stream:
                await anext(stream)
                await anext(stream)
                await stream.close()
                return [chunk async for chunk in stream], stream._raw.response.is_closed

        assert (sync() if way == "stream" else asyncio.run(awaited())) == ([], True)


def test_a_connection_that_breaks_is_the_callers_to_know():
    """Nothing unchecked has left by then."""
    with clients(lambda _: Reply(WRONG, cut="body")) as (client, _, _):
        stream = client.chat.completions.create(model="m", messages=ASKED, passages=PASSAGES, stream=True)
        seen = []
        with pytest.raises(Exception, match=r"incomplete|closed|peer|[Cc]onnection") as raised:
            seen.extend(stream)
        assert RAW not in joined(seen) + str(raised.value)
