"""HTTP clients of a vendor, made when they are needed: one per process for threads, one per event loop for tasks.

Connections belong to the loop that opened them, and a forked process must not use its parent's.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from threading import Lock
from typing import Generic, Protocol, TypeVar


class _Closing(Protocol):
    async def close(self) -> None: ...


SyncT = TypeVar("SyncT")
AsyncT = TypeVar("AsyncT", bound=_Closing)


class Clients(Generic[SyncT, AsyncT]):
    """Makes and keeps clients.

    Args:
        make: Makes a client for threads.
        amake: Makes a client for tasks.
    """

    def __init__(self, make: Callable[[], SyncT], amake: Callable[[], AsyncT]) -> None:
        self._make = make
        self._amake = amake
        self._lock = Lock()
        self._process: tuple[int, SyncT] | None = None
        self._loops: dict[asyncio.AbstractEventLoop, tuple[AsyncT, AsyncGenerator[None]]] = {}

    def here(self) -> SyncT:
        """The client of this process."""
        with self._lock:
            if self._process is None or self._process[0] != os.getpid():
                self._process = (os.getpid(), self._make())
            return self._process[1]

    async def in_loop(self) -> AsyncT:
        """The client of the running loop; it is closed when the loop shuts down."""
        loop = asyncio.get_running_loop()
        with self._lock:
            kept = self._loops.get(loop)
            for other in [each for each in self._loops if each.is_closed()]:
                del self._loops[other]
        if kept is not None:
            return kept[0]
        client = self._amake()
        keeper = _keep(client)
        await anext(keeper)  # runs up to its yield without giving way, so no other task of this loop comes between
        with self._lock:
            self._loops[loop] = (client, keeper)
        return client


async def _keep(client: _Closing) -> AsyncGenerator[None]:
    """A loop closes the generators that it has seen when it shuts down: here the connections are given back."""
    try:
        yield
    finally:
        with suppress(Exception):
            await client.close()
