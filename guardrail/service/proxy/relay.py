"""A stream on its way: read from the upstream by one task, checked text released by others, one queue to the client."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Coroutine
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final

from guardrail.service.errors import ServiceError
from guardrail.service.proxy.answers import Checked, Work
from guardrail.service.proxy.chunks import ErrorEvent
from guardrail.service.proxy.errors import error_body
from guardrail.service.proxy.json_text import dumps
from guardrail.service.proxy.pooled import PooledGuard
from guardrail.service.proxy.sse import DONE, Event, made
from guardrail.streaming import Delta, Finished, Withheld, aguarded_stream
from guardrail.types import Action, GuardedAnswer

BEAT_SECONDS: Final = 15.0
"""After so long without a byte a comment is sent, so that nobody between us and the client takes it for dead."""

_AHEAD: Final = 256
_log = logging.getLogger("guardrail.service")


@dataclass(frozen=True, slots=True)
class Said:
    """Text that may leave; ``blocking``: it is the message that takes the place of the rest."""

    text: str
    blocking: bool


class Feed:
    """The text of one answer between the task that reads it and the one that checks it.

    Attributes:
        read: The text that was taken so far.
        closed: Nobody wants more.
    """

    def __init__(self) -> None:
        self.read = ""
        self._queue: asyncio.Queue[str | Exception | None] = asyncio.Queue(_AHEAD)
        self.closed = False

    async def put(self, item: str | Exception | None) -> None:
        """More text; an error of the upstream; None at the end. Nothing, once nobody wants more."""
        if not self.closed:
            await self._queue.put(item)

    async def texts(self) -> AsyncIterator[str]:
        """The text as it comes."""
        try:
            while (item := await self._queue.get()) is not None:
                if isinstance(item, Exception):
                    raise item
                self.read += item
                yield item
        finally:
            self.closed = True
            while not self._queue.empty():  # who waits for room goes on
                self._queue.get_nowait()


class Relay(ABC):
    """One stream. ``read`` takes the upstream's events, and puts bytes for the client into ``out``."""

    def __init__(self, work: Work, events: AsyncIterator[Event]) -> None:
        self.work = work
        self.events = events
        self.out: asyncio.Queue[bytes | None] = asyncio.Queue(_AHEAD)
        self._tasks: set[asyncio.Task[None]] = set()

    @abstractmethod
    async def read(self) -> None:
        """From the first event to the last."""

    async def bytes(self) -> AsyncIterator[bytes]:
        """What the client gets. Where it is closed early, all tasks end with it."""
        self.start(self._read())
        try:
            while True:
                try:
                    async with asyncio.timeout(BEAT_SECONDS):
                        item = await self.out.get()
                except TimeoutError:
                    item = b": checking\n\n"
                if item is None:
                    return
                yield item
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """A task of this stream."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        return task

    async def send(self, data: str, name: str | None = None) -> None:
        """An event for the client."""
        await self.out.put(made(data, name))

    async def end(self) -> None:
        """Nothing more comes."""
        await self.out.put(None)

    async def released(self, feed: Feed) -> AsyncIterator[Said | GuardedAnswer]:
        """Sentence by sentence what may leave of a text, and at the end what was found."""
        evidence = self.work.evidence
        events = aguarded_stream(
            PooledGuard(self.work.guard, self.work.service, evidence.passages),
            feed.texts(),
            evidence.passages,
            question=evidence.question,
            mode="sentence",
            regenerate=self.work.again if self.work.asked.can_be_asked_again else None,
        )
        blocking = False
        async with aclosing(events) as reading:  # type: ignore[type-var]  # an async generator, typed as an iterator
            async for event in reading:
                if isinstance(event, Withheld):
                    blocking = blocking or event.action is Action.BLOCK
                elif isinstance(event, Delta):
                    yield Said(event.text, blocking)
                elif isinstance(event, Finished):
                    yield event.guarded

    async def fail(self, error: ServiceError) -> None:
        """The stream ends with an error that clients raise."""
        await self.send(error.data if isinstance(error, ErrorEvent) else dumps(error_body(error)))
        await self.send(DONE)
        await self.end()

    async def guarded(self, work: Coroutine[Any, Any, None]) -> None:
        """Work of which no failure leaves the client waiting."""
        try:
            await work
        except ServiceError as error:
            await self.fail(error)
        except Exception:
            _log.exception("a stream failed")
            await self.fail(ServiceError(500, "internal", "A fault of the service. Its log names it."))

    async def _read(self) -> None:
        await self.guarded(self.read())


def of_stream(guarded: GuardedAnswer, feed: Feed, seconds: float, index: int) -> Checked:
    """What a stream found, as a check."""
    return Checked(guarded.text, guarded, guarded.text != feed.read, seconds=seconds, index=index)
