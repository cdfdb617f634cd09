"""Replies as the OpenAI protocol has them, and tokens by rule."""

from __future__ import annotations

import json

import httpx
import openai

from guardrail.testing import OpenAIServer, Reply, estimate_tokens


def body(text="Say hello.", **more):
    return {"model": "scripted", "messages": [{"role": "user", "content": text}], **more}


def client(server, **options):
    return openai.OpenAI(base_url=server.base_url, api_key="sk-secret", max_retries=0, **options)


def post(server, request, **options):
    return httpx.post(f"{server.base_url}/chat/completions", json=request, **options)


def test_streams_send_a_word_per_chunk():
    """For each choice the role, the words, the reason of the end; then the usage, if it is asked for."""
    with OpenAIServer(lambda _: Reply("One two.", choices=2)) as server, client(server) as model:
        chunks = list(model.chat.completions.create(**body(stream=True, stream_options={"include_usage": True})))
        plain = list(model.chat.completions.create(**body(stream=True)))
    deltas = [(c.index, c.delta.role, c.delta.content, c.finish_reason) for chunk in chunks for c in chunk.choices]
    one = [("assistant", "", None), (None, "One", None), (None, " two.", None), (None, None, "stop")]
    assert deltas == [(n, *piece) for n in (0, 1) for piece in one]
    assert chunks[-1].choices == []
    assert chunks[-1].usage.completion_tokens == 2
    assert [chunk.usage for chunk in plain] == [None] * 8


def test_tokens_are_estimated_by_the_rule_told():
    """A token per four bytes, parts of a message, schema and tools included."""
    assert [estimate_tokens(t) for t in ("", "a", "abcd", "abcde", "水水", "\ud800")] == [0, 1, 1, 2, 2, 1]
    parts = [{"type": "text", "text": "abcd"}, {"type": "image_url", "image_url": {}}]
    schema = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
    with OpenAIServer(lambda _: "{}") as server:
        post(server, {"messages": [{"role": "user", "content": parts}], "response_format": schema})
        post(server, body("abcd", tools=[{"type": "function"}]))
        assert [c.tokens for c in server.calls] == [1 + estimate_tokens(json.dumps(schema)), 1 + 6]


def test_refusals_tools_and_usage_look_as_the_protocol_has_them():
    """What a script can say beside a text."""
    replies = iter(
        [
            Reply(refusal="No."),
            Reply('{"a": 1}', tool="answer"),
            Reply(choices=0),
            Reply("x", input_tokens=7, output_tokens=5, cached_tokens=4),
        ]
    )
    with OpenAIServer(lambda _: next(replies)) as server, client(server) as model:
        refused, called, empty, counted = (model.chat.completions.create(**body()) for _ in range(4))
    assert (refused.choices[0].message.refusal, refused.choices[0].message.content) == ("No.", None)
    [tool] = called.choices[0].message.tool_calls
    assert (tool.function.name, tool.function.arguments) == ("answer", '{"a": 1}')
    assert empty.choices == []
    usage = counted.usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (7, 5, 12)
    assert usage.prompt_tokens_details.cached_tokens == 4
