"""Replies leave with their headers as they came."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack

import openai
import pytest
from starlette.types import Message

from guardrail.service.proxy.delivery import BytesReply, stream_reply
from tests.support.proxied import (
    ASKED,
    client,
    proxy,
)


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


def test_all_headers_of_one_name_are_kept_and_the_length_is_the_new_bodys() -> None:
    given = [(b"set-cookie", b"a=1"), (b"content-length", b"999"), (b"set-cookie", b"b=2")]
    reply = BytesReply(201, given, b"four")
    assert reply.raw_headers == [(b"set-cookie", b"a=1"), (b"set-cookie", b"b=2"), (b"content-length", b"4")]
    assert (reply.status_code, reply.body) == (201, b"four")


def test_whoever_stops_listening_closes_what_a_stream_was_made_of() -> None:
    closed = []

    async def pieces() -> AsyncGenerator[bytes, None]:
        try:
            yield b"one"
            yield b"two"
        finally:
            closed.append("pieces")

    async def send(message: Message) -> None:
        if message.get("body"):
            raise ConnectionError("the client left")

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def main() -> None:
        stack = AsyncExitStack()
        stack.callback(closed.append, "connection")
        await stream_reply(200, [], pieces(), stack)({"type": "http"}, receive, send)

    with pytest.raises(ConnectionError):
        asyncio.run(main())
    assert closed == ["pieces", "connection"]
