"""Bodies are read whole before anybody works on them: bounded in size, in time, and all together.

A client that leaves takes its request with it: what waits is dropped.
"""

from __future__ import annotations

import asyncio
from collections import Counter

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from guardrail.service.errors import Busy, Malformed, ServiceError, TooLarge, TooMany, TooSlow
from guardrail.service.keys import client
from guardrail.service.service import Service


class ClientLeft(Exception):  # noqa: N818
    """The client closed the connection before it had its reply."""


class Bodies:
    """Limits on bodies and on requests of one client; and the watch on its connection."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service
        self._held = 0
        self._under_way: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limits, who = self._service.settings.limits, client.get().name
        if self._under_way[who] >= limits.per_client:
            raise TooMany(f"{limits.per_client} requests of this client are under way. Wait for one to end.")
        self._under_way[who] += 1
        held = 0
        try:
            body = await self._read(scope, receive)
            held = len(body)
            self._held += held
            await _answered(self._app, scope, body, receive, send)
        except ClientLeft:
            return
        finally:
            self._held -= held
            self._under_way[who] -= 1
            if not self._under_way[who]:
                del self._under_way[who]

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        limits, headers = self._service.settings.limits, Headers(scope=scope)
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise ServiceError(415, "unsupported_encoding", "Send the body without a Content-Encoding.")
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            raise Malformed("Content-Length is no number.")
        if int(length[:20]) > limits.body:
            raise _too_large(limits.body)
        if self._held + int(length) > limits.bodies:
            raise Busy("the requests under way fill the memory that is set aside for them. Try again later.")
        try:
            async with asyncio.timeout(limits.body_seconds):
                return await _whole(receive, limits.body)
        except TimeoutError:
            raise TooSlow(f"the body did not come within {limits.body_seconds:g} s.") from None


async def _whole(receive: Receive, most: int) -> bytes:
    pieces = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientLeft
        pieces += message.get("body", b"")
        if len(pieces) > most:
            raise _too_large(most)
        if not message.get("more_body", False):
            return bytes(pieces)


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"the body is over {most} bytes, the limit `limits.body` of this service.")


async def _answered(app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
    """The app at work, until it is done or the client has left."""
    given, left = False, asyncio.Event()

    async def replay() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        await left.wait()
        return {"type": "http.disconnect"}

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        left.set()

    work, watching = asyncio.ensure_future(app(scope, replay, send)), asyncio.ensure_future(watch())
    try:
        await asyncio.wait((work, watching), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            work.cancel()
            await asyncio.wait((work,))
            raise ClientLeft
        work.result()
    finally:
        for task in (work, watching):
            task.cancel()
