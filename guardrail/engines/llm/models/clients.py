"""HTTP clients of a vendor, made when they are needed: one per process for threads, one per event loop for tasks.

Connections belong to the loop that opened them, and a forked process must not use its parent's. They are closed before
the collector gets to them: it frees sockets in any order, and one that is not closed by then is a warning.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from threading import Lock
from typing import Generic, Protocol, TypeVar
from weakref import finalize


class _Closing(Protocol):
    def close(self) -> None: ...


class _AsyncClosing(Protocol):
    async def close(self) -> None: ...


SyncT = TypeVar("SyncT", bound=_Closing)
AsyncT = TypeVar("AsyncT", bound=_AsyncClosing)


class Clients(Generic[SyncT, AsyncT]):
    """Makes and keeps clients; closes them when it is freed itself, and at exit.

    Args:
        make: Makes a client for threads.
        amake: Makes a client for tasks.
    """

    def __init__(self, make: Callable[[], SyncT], amake: Callable[[], AsyncT]) -> None:
        self._make = make
        self._amake = amake
        self._lock = Lock()
        self._processes: dict[int, SyncT] = {}
        self._loops: dict[asyncio.AbstractEventLoop, tuple[AsyncT, AsyncGenerator[None]]] = {}
        finalize(self, _close_all, self._processes, self._loops)

    def here(self) -> SyncT:
        """The client of this process."""
        with self._lock:
            process = os.getpid()
            if process not in self._processes:
                self._processes[process] = self._make()
            return self._processes[process]

    async def in_loop(self) -> AsyncT:
        """The client of the running loop; it is closed when the loop shuts down (``loop.shutdown_asyncgens``)."""
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


async def _keep(client: _AsyncClosing) -> AsyncGenerator[None]:
    """A loop closes the generators that it has seen when it shuts down: here the connections are given back."""
    try:
        yield
    finally:
        with suppress(Exception):
            await client.close()


def _close_all(
    processes: Mapping[int, _Closing],
    loops: Mapping[asyncio.AbstractEventLoop, tuple[_AsyncClosing, AsyncGenerator[None]]],
) -> None:
    """Close what is open, from any thread."""
    mine = processes.get(os.getpid())
    if mine is not None:
        with suppress(Exception):
            mine.close()
    for loop, (_, keeper) in loops.items():
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(_close_there, loop, keeper)


def _close_there(loop: asyncio.AbstractEventLoop, keeper: AsyncGenerator[None]) -> None:
    loop.create_task(_end(keeper))


async def _end(keeper: AsyncGenerator[None]) -> None:
    with suppress(RuntimeError):  # the loop is at it already
        await keeper.aclose()
