"""Upstreams: which one is asked, and those that are not there or hang."""

from __future__ import annotations

import asyncio
import socket

import httpx
import openai
import pytest

from tests.support.proxied import (
    ASKED,
    begun,
    chunk,
    client,
    completion,
    hang,
    model,
    proxy,
    sse,
)


def ask(url, **more):
    return client(url).chat.completions.create(**({"model": "m", "messages": ASKED} | more))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_an_upstream_that_is_not_there():
    """Its address is not told."""
    address = f"http://127.0.0.1:{free_port()}/v1"
    with proxy(model, upstream={"url": address}) as (url, _), pytest.raises(openai.InternalServerError) as raised:
        ask(url)
    assert (raised.value.status_code, raised.value.code) == (502, "upstream_unreachable")
    assert "127.0.0.1" not in raised.value.response.text


def dripping(send):
    """A reply that never ends, and never stops either."""

    async def reply(send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        while True:
            await send({"type": "http.response.body", "body": b" ", "more_body": True})
            await asyncio.sleep(0.05)

    return reply(send)


@pytest.mark.parametrize(
    ("reply", "limits"),
    [
        (hang, {"read_seconds": 0.3}),
        (begun(), {"read_seconds": 0.3}),
        (hang, {"seconds": 0.3}),
        (dripping, {"seconds": 0.3}),
    ],
)
def test_an_upstream_that_hangs_is_given_up(reply, limits):
    with proxy(lambda _: reply, upstream=limits) as (url, upstream):
        with pytest.raises(openai.InternalServerError) as raised:
            ask(url, stream=True)
        assert upstream.left.wait(30)
    assert (raised.value.status_code, raised.value.code) == (504, "upstream_timeout")


@pytest.mark.parametrize("limits", [{"read_seconds": 0.3}, {"seconds": 0.5}])
def test_a_stream_that_hangs_in_the_middle_ends_with_an_error(limits):
    reply = begun(*sse(chunk({"role": "assistant", "content": "The dam"}), done=False))
    with proxy(lambda _: reply, upstream=limits) as (url, upstream):
        with pytest.raises(openai.APIError, match="did not answer in time"):
            list(ask(url, stream=True))
        assert upstream.left.wait(30)


def test_the_model_says_which_upstream():
    from guardrail.service import Settings, create_app
    from tests.support.proxied import Upstream, serving

    one, other = Upstream(lambda _: completion()), Upstream(lambda _: completion())
    with serving(one) as first, serving(other) as second:
        upstreams = {"one": {"url": f"{first}/v1"}, "other": {"url": f"{second}/v1/", "models": ["big"]}}
        with serving(create_app(Settings(upstreams=upstreams))) as url:
            for name in ("small", "big"):
                httpx.post(f"{url}/v1/chat/completions", json={"model": name, "messages": []}).raise_for_status()
            httpx.post(f"{url}/v1/embeddings", json={"model": "big"}).raise_for_status()
            httpx.get(f"{url}/v1/models/big").raise_for_status()
            httpx.get(f"{url}/v1/models", headers={"x-guardrail-upstream": "other"}).raise_for_status()
            httpx.get(f"{url}/v1/models").raise_for_status()
    assert [seen[1] for seen in one.seen] == ["/v1/chat/completions", "/v1/models"]
    assert [seen[1] for seen in other.seen] == [
        "/v1/chat/completions",
        "/v1/embeddings",
        "/v1/models/big",
        "/v1/models",
    ]
