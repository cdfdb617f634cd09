"""HTTP/1.1 with a limit on the time that the head of a request may take."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_LINGER = 2.0
"""Seconds in which a client may send one more request over a connection of which it was not told that it closes."""


class TimedHead(H11Protocol):
    """Closes connections on which the head of a request does not come in time.

    Args:
        seconds: From the connection, or from the first byte of a later head, to its end.
        **given: See H11Protocol.
    """

    def __init__(self, *, seconds: float, **given: Any) -> None:
        super().__init__(**given)
        self._seconds = seconds
        self._head: asyncio.TimerHandle | None = None
        self._lingers = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See asyncio.Protocol."""
        super().connection_made(transport)
        self._start()

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._head is None and self.conn.trailing_data[0]:
            self._start()

    def on_response_complete(self) -> None:
        """See H11Protocol: what came meanwhile is read now."""
        super().on_response_complete()
        if self._head is None and self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._start()
        elif self._lingers and self._head is None and self.conn.their_state is h11.IDLE:
            self._head = self.loop.call_later(_LINGER, self._too_late)

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio.Protocol."""
        self._stop()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """See H11Protocol: the server ends, but a request may be on its way; its reply will say that this one closes.

        So it is over a connection without any request yet, and over one whose reply began before the end was known.
        """
        if self.cycle is None and self._head is not None:
            return
        if self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete:
            self._lingers = True
            return
        super().shutdown()

    def _start(self) -> None:
        self._head = self.loop.call_later(self._seconds, self._too_late)

    def _stop(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _too_late(self) -> None:
        self._head = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()
