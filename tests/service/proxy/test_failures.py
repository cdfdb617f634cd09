"""Upstreams that fail, hang or say what cannot be read; clients that leave."""

from __future__ import annotations

import asyncio
import json
import socket

import httpx
import openai
import pytest

from tests.support.proxied import ASKED, RAW, chunk, client, completion, model, proxy, sse, streamed


def ask(url, **more):
    return client(url).chat.completions.create(**({"model": "m", "messages": ASKED} | more))


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, openai.BadRequestError),
        (401, openai.AuthenticationError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
    ],
)
def test_a_status_of_the_upstream_is_the_clients(status, error, stream):
    """With its body and headers as they are."""
    body = b'{"error": {"message": "as I said", "type": "t", "code": "c", "param" : null}}'
    reply = (status, [(b"content-type", b"application/json"), (b"retry-after", b"7")], [body])
    with proxy(lambda _: reply) as (url, _), pytest.raises(error) as raised:
        ask(url, stream=stream)
    assert raised.value.response.content == body
    assert raised.value.response.headers["retry-after"] == "7"


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


async def hang(_):
    await asyncio.sleep(3_600)


def begun(*pieces):
    """A reply that begins, and goes no further."""

    async def reply(send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await asyncio.sleep(3_600)

    return reply


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


@pytest.mark.parametrize(
    ("reply", "stream"),
    [(hang, False), (hang, True), (begun(*sse(chunk({"role": "assistant", "content": "The"}), done=False)), True)],
)
def test_a_client_that_leaves_takes_the_upstreams_work_with_it(reply, stream):
    """Before the reply, and in the middle of a stream that says nothing for long."""
    with proxy(lambda _: reply) as (url, upstream):
        host, port = url.removeprefix("http://").split(":")
        body = json.dumps({"model": "m", "messages": ASKED, "stream": stream}).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(head.encode() + body)
            while not upstream.seen:
                pass
            if reply is not hang:
                connection.recv(100)
        assert upstream.left.wait(30)


def test_keys_stay_where_they_belong():
    """The service's key does not reach the upstream; the upstream's own, or the client's for it, does."""
    from guardrail.service.keys import hashed

    key = {"name": "team", "hash": hashed("grk_ours")}
    with proxy(model, keys=[key]) as (url, upstream):
        with pytest.raises(openai.AuthenticationError):
            ask(url)
        client(url, api_key="grk_ours").chat.completions.create(model="m", messages=ASKED)
        own = {"x-guardrail-key": "grk_ours"}
        client(url, api_key="theirs", default_headers=own).chat.completions.create(model="m", messages=ASKED)
    sent = [headers.get(b"authorization") for _, _, headers, _ in upstream.seen]
    assert sent == [None, b"Bearer theirs"]
    assert not any(b"grk_ours" in value for _, _, headers, _ in upstream.seen for value in headers.values())


def test_the_upstreams_key_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("UPSTREAM_KEY_OF_A_TEST", "secret")
    with proxy(model, upstream={"key_env": "UPSTREAM_KEY_OF_A_TEST"}) as (url, upstream):
        ask(url)
    assert upstream.seen[0][2][b"authorization"] == b"Bearer secret"
