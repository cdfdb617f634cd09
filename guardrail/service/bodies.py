"""Bodies are read whole before anybody works on them: bounded in size, in time, and all together.

A client that leaves takes its request with it: what waits is dropped.
"""

from __future__ import annotations

import asyncio
from collections import Counter

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from guardrail.service.access import OPERATIONS
from guardrail.service.errors import Busy, Malformed, ServiceError, TooLarge, TooMany, TooSlow
from guardrail.service.keys import client
from guardrail.service.service import Service
from guardrail.service.settings import Limits


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
        if self._under_way[who] >= limits.per_client and scope["path"] not in OPERATIONS:
            raise TooMany(f"{limits.per_client} requests of this client are under way. Wait for one to end.")
        self._under_way[who] += 1
        body = bytearray()
        try:
            await self._read(scope, receive, body)
            await _answered(self._app, scope, bytes(body), receive, send)
        except ClientLeft:
            return
        finally:
            self._held -= len(body)
            self._under_way[who] -= 1
            if not self._under_way[who]:
                del self._under_way[who]

    async def _read(self, scope: Scope, receive: Receive, body: bytearray) -> None:
        """Fill ``body``, piece by piece.

        Raises:
            ServiceError: it is too large, too slow, or there is no room for it.
            ClientLeft: the client left.
        """
        limits, headers = self._service.settings.limits, Headers(scope=scope)
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise ServiceError(415, "unsupported_encoding", "Send the body without a Content-Encoding.")
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            raise Malformed("Content-Length is no number.")
        self._refuse_over(limits, int(length[:20]))
        try:
            async with asyncio.timeout(limits.body_seconds):
                more = True
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientLeft
                    piece = message.get("body", b"")
                    self._refuse_over(limits, len(body) + len(piece), more=len(piece))
                    body += piece
                    self._held += len(piece)
                    more = message.get("more_body", False)
        except TimeoutError:
            raise TooSlow(f"the body did not come within {limits.body_seconds:g} s.") from None

    def _refuse_over(self, limits: Limits, size: int, *, more: int | None = None) -> None:
        if size > limits.body:
            raise TooLarge(f"the body is over {limits.body} bytes, the limit `limits.body` of this service.")
        if self._held + (size if more is None else more) > limits.bodies:
            raise Busy("the requests under way fill the memory that is set aside for them. Try again later.")


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
