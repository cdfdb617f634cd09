"""A stream on its way: what leaves when, and how it ends early."""

from __future__ import annotations

import asyncio
import json
import socket

import openai
import pytest

from tests.support.openai_clients import joined
from tests.support.proxied import (
    ASKED,
    RAW,
    RIGHT,
    WRONG,
    begun,
    chunk,
    client,
    hang,
    paced,
    proxy,
    sse,
    streamed,
    words,
)
from tests.support.services import wait_until


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
            wait_until(lambda: upstream.seen)
            if reply is not hang:
                connection.recv(100)
        assert upstream.left.wait(30)


LONG = f"{RIGHT} It was opened in the year 1963 by the regional water board. {WRONG} It is closed now."


def test_sentences_leave_before_the_answer_is_there():
    """The upstream goes no further until the client has seen the first sentence."""
    seen = asyncio.Event()
    loops = []

    async def hold():
        loops.append(asyncio.get_running_loop())
        if len(loops) == len(words(LONG)):  # almost all of it is on its way
            await seen.wait()

    with proxy(lambda _: paced(streamed(LONG), hold)) as (url, _):
        stream = client(url).chat.completions.create(model="m", messages=ASKED, stream=True)
        text = ""
        for each in stream:
            text += joined([each])
            if RIGHT in text and not seen.is_set():
                loops[0].call_soon_threadsafe(seen.set)
    assert text.startswith(RIGHT)


def in_mode(mode):
    return {"extra_body": {"guardrail": {"stream": mode}}}


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_a_stream_that_breaks_off_is_an_error_behind_what_was_checked(mode):
    with proxy(lambda _: streamed(LONG)[: len(words(LONG)) - 2]) as (url, _):
        stream = client(url).chat.completions.create(model="m", messages=ASKED, stream=True, **in_mode(mode))
        seen = []
        with pytest.raises(openai.APIError, match="broke off"):
            seen.extend(each for each in iter(lambda: next(stream), None))
    assert RAW not in joined(seen)
