"""Server-sent events, however they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from guardrail.service.proxy import sse
from guardrail.service.proxy.sse import Event, events, made
from guardrail.service.proxy.upstream import UpstreamFailed


def read(*pieces: bytes) -> list[Event]:
    async def body() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    async def collected() -> list[Event]:
        return [event async for event in events(body())]

    return asyncio.run(collected())


STREAM = 'event: a\ndata: {"x": "é"}\n\n: beat\n\ndata: one\r\ndata:two\r\n\r\ndata: [DONE]\r\r'.encode()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
def test_events_are_the_same_wherever_they_are_cut(size: int) -> None:
    found = read(*(STREAM[at : at + size] for at in range(0, len(STREAM), size)))
    assert [(event.name, event.data) for event in found] == [
        ("a", '{"x": "é"}'),
        (None, None),
        (None, "one\ntwo"),
        (None, "[DONE]"),
    ]


def test_the_bytes_of_events_together_are_the_stream() -> None:
    assert b"".join(event.raw for event in read(STREAM)) == STREAM


def test_a_last_event_without_a_blank_line_counts_and_blanks_alone_do_not() -> None:
    assert [event.data for event in read(b"data: 1\n\ndata: 2")] == ["1", "2"]
    assert [event.data for event in read(b"data: 1\n\n \n")] == ["1"]
    assert read(b"") == []


def test_what_is_made_is_read_again() -> None:
    (event,) = read(made('{"a": 1}', "response.created"))
    assert (event.name, event.data) == ("response.created", '{"a": 1}')
    assert made("x") == b"data: x\n\n"


def test_an_event_that_is_no_utf_8_is_said() -> None:
    with pytest.raises(UpstreamFailed, match="no UTF-8") as raised:
        read(b"data: \xff\n\n")
    assert (raised.value.status, raised.value.code) == (502, "upstream_malformed")


def test_an_event_without_end_is_given_up_but_a_long_stream_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MOST_BYTES", 100)
    assert len(read(*[b"data: 1\n\n"] * 50)) == 50
    with pytest.raises(UpstreamFailed, match="too long"):
        read(*[b"data: 1234567890"] * 50)
