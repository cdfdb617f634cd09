"""Replies with headers as they are given: no list of headers is turned into a mapping, which would lose some."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING

from starlette.responses import Response

from guardrail.service.proxy.headers import Pairs, delivered_headers

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from guardrail.service.proxy.upstream import Reply


class BytesReply(Response):
    """A whole body."""

    def __init__(self, status: int, headers: Pairs, body: bytes) -> None:
        super().__init__(body, status)
        self.raw_headers = [*(pair for pair in headers if pair[0] != b"content-length"),
                            (b"content-length", str(len(body)).encode())]  # fmt: skip


class StreamReply(Response):
    """A body in pieces. However it ends, what it was made of is closed before the request is over."""

    def __init__(self, status: int, headers: Pairs, pieces: AsyncGenerator[bytes, None], stack: AsyncExitStack) -> None:
        super().__init__(None, status)
        self.raw_headers = list(headers)
        self._pieces = pieces
        self._stack = stack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """See ASGI."""
        async with self._stack, aclosing(self._pieces) as pieces:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def plain_reply(reply: Reply, body: bytes, *, status: int | None = None) -> Response:
    """The upstream's reply as it is: an error of its own, with its status."""
    headers = delivered_headers(reply.headers, changed=True)
    return BytesReply(reply.response.status_code if status is None else status, headers, body)


def stream_reply(status: int, headers: Pairs, pieces: AsyncIterator[bytes], stack: AsyncExitStack) -> Response:
    """A reply in pieces."""
    return StreamReply(status, headers, pieces, stack)  # type: ignore[arg-type]  # an async generator
