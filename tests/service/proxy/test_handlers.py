"""The guarded routes: what cannot be read or is not allowed does not pass."""

from __future__ import annotations

import httpx
import openai
import pytest

from tests.support.proxied import (
    ASKED,
    QUESTION,
    RAW,
    client,
    completion,
    model,
    proxy,
    sse,
    streamed,
)


def ask(url, **more):
    return client(url).chat.completions.create(**({"model": "m", "messages": ASKED} | more))


@pytest.mark.parametrize(
    ("pieces", "status"),
    [
        (sse({"error": {"message": "too many", "code": 429}}), 429),
        ([b": wait\n\n", *sse({"error": {"message": "no model", "code": "model_not_found"}})], 502),
        ([], 502),
        (sse(), 502),
        ([b": nothing\n\n"], 502),
        ([b"data: <html>\n\n"], 502),
        ([b"data: \xff\n\n"], 502),
    ],
)
def test_a_stream_that_fails_at_once_has_a_real_status(pieces, status):
    with proxy(lambda _: pieces) as (url, _), pytest.raises(openai.APIStatusError) as raised:
        ask(url, stream=True)
    assert raised.value.status_code == status
    assert raised.value.response.json()["error"]["message"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "reply",
    [
        b"<html>",
        b"[]",
        b'{"choices": [3]}',
        b'{"object": "list", "data": []}',
        b'{"error": {"message": "in a 200"}}',
        (200, [(b"content-type", b"text/plain")], [b"Rita Halloway built it."]),
        (200, [], [b""]),
    ],
)
def test_what_cannot_be_read_does_not_pass(reply, stream):
    with proxy(lambda _: reply) as (url, _), pytest.raises(openai.InternalServerError) as raised:
        ask(url, stream=stream)
    assert raised.value.status_code == 502
    assert RAW not in raised.value.response.text


def test_an_error_in_a_reply_that_says_200_has_its_status():
    with (
        proxy(lambda _: {"error": {"message": "slow down", "code": 429}}) as (url, _),
        pytest.raises(openai.RateLimitError, match="slow down"),
    ):
        ask(url)


def test_a_stream_that_nobody_asked_for_is_checked_too():
    """And an answer in one piece where a stream was asked for."""
    with proxy(lambda _: streamed("Rita Halloway built it.")) as (url, _):
        said = httpx.post(f"{url}/v1/chat/completions", json={"model": "m", "messages": ASKED})
    assert "data: [DONE]" in said.text
    assert RAW not in said.text
    with proxy(lambda _: completion("Rita Halloway built it.")) as (url, _):
        said = httpx.post(f"{url}/v1/chat/completions", json={"model": "m", "messages": ASKED, "stream": True})
    assert said.json()["guardrail"]["action"] == "block"


def test_unknown_guards_and_too_many_passages():
    with proxy(model, limits={"passages": 1}) as (url, upstream):
        with pytest.raises(openai.NotFoundError, match="no guard 'x'"):
            ask(url, messages=[QUESTION], extra_body={"guardrail": {"guard": "x"}})
        with pytest.raises(openai.APIStatusError, match="the limit is 1") as raised:
            ask(url)
    assert raised.value.status_code == 413
    assert upstream.seen == []
