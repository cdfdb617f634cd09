"""Server-sent events, taken apart and made (HTML, section 9.2: event streams)."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterable
from dataclasses import dataclass
from typing import Final

from guardrail.service.proxy.upstream import MOST_BYTES, UpstreamFailed

DONE: Final = "[DONE]"

_END = re.compile(rb"\r\n\r\n|\n\n|\r\r|\n\r\n")
_LINE = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its bytes with the blank line, its name, and its data; ``data`` is None for a comment."""

    raw: bytes
    name: str | None = None
    data: str | None = None


async def events(pieces: AsyncIterable[bytes]) -> AsyncGenerator[Event, None]:
    """The events of a body, however it was cut into pieces.

    Raises:
        UpstreamFailed: an event is no UTF-8, or too long.
    """
    buffer, looked = bytearray(), 0
    async for piece in pieces:
        buffer += piece
        start = 0
        for end in _END.finditer(buffer, max(0, looked - 3)):
            yield _event(bytes(buffer[start : end.end()]))
            start = end.end()
        del buffer[:start]
        looked = len(buffer)
        if looked > MOST_BYTES:
            raise UpstreamFailed(502, "upstream_too_large", "an event of the upstream is too long.")
    if buffer.strip():
        yield _event(bytes(buffer) + b"\n\n")


def made(data: str, name: str | None = None) -> bytes:
    """An event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data}\n\n".encode()


def _event(raw: bytes) -> Event:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise UpstreamFailed(502, "upstream_malformed", "an event of the upstream is no UTF-8.") from None
    name, data = None, []
    for line in _LINE.split(text):
        field, _, value = line.partition(":")
        if field == "data":
            data.append(value.removeprefix(" "))
        elif field == "event":
            name = value.removeprefix(" ")
    return Event(raw, name, "\n".join(data) if data else None)
