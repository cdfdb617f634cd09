"""How many requests are at work at once: over all threads, and over all tasks of each event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from threading import BoundedSemaphore, Lock
from weakref import WeakKeyDictionary, ref

from guardrail.engines.llm.protocol import LLMError
from guardrail.engines.llm.requests.budget import Budget
from guardrail.types import Cause


class ConcurrencyLimit:
    """Bounds the requests of an engine.

    Args:
        most: Requests at once.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._threads = BoundedSemaphore(most)
        self._lock = Lock()
        # A semaphore knows its loop: held here it would keep the loop alive, so the requests that use it hold it.
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, ref[asyncio.Semaphore]] = WeakKeyDictionary()

    @contextmanager
    def acquire(self, budget: Budget) -> Iterator[None]:
        """A slot for this thread.

        Raises:
            LLMError: none came free in the answer's time.
        """
        if not self._threads.acquire(timeout=budget.seconds_left()):
            raise _crowded()
        try:
            yield
        finally:
            self._threads.release()

    @asynccontextmanager
    async def aacquire(self, budget: Budget) -> AsyncIterator[None]:
        """A slot for this task."""
        slots = self._here()
        try:
            async with asyncio.timeout(budget.seconds_left()):
                await slots.acquire()
        except TimeoutError:
            raise _crowded() from None
        try:
            yield
        finally:
            slots.release()

    def _here(self) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        with self._lock:
            held = self._loops.get(loop)
            slots = None if held is None else held()
            if slots is None:
                slots = asyncio.Semaphore(self._most)
                self._loops[loop] = ref(slots)
        return slots


def _crowded() -> LLMError:
    return LLMError(
        "no time left before the deadline: all requests that may run at once were at work", cause=Cause.TIMEOUT
    )
