"""Where the text of a stream comes from: an iterable, or an async one that is read ahead while some is checked."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NoReturn, Protocol

from guardrail.check.drivers import Work
from guardrail.errors import UsageError

AHEAD = 256
"""Deltas read before somebody wants them; then the source waits."""

_log = logging.getLogger(__name__)
_END = object()


class Source(Protocol):
    """The text of one stream."""

    def read(self, *, gather: bool = False) -> Work[str | None]:
        """The next delta, or all that have come; None at the end.

        Raises:
            UsageError: a delta is not a str.
            Exception: what the source raised, behind all that it gave before.
        """
        ...

    @property
    def close(self) -> Work[None]:
        """Stop reading and close the source."""
        ...


@dataclass(frozen=True, slots=True)
class SyncSource:
    """Deltas of an iterable, one by one."""

    deltas: Iterator[str]

    def read(self, *, gather: bool = False) -> Work[str | None]:  # noqa: ARG002  there is never more than the next
        """See Source."""
        return Work(self._next, _not_awaited)

    @property
    def close(self) -> Work[None]:
        """See Source."""
        return Work(self._close, _not_awaited)

    def _next(self) -> str | None:
        delta: object = next(self.deltas, _END)
        return None if delta is _END else _text(delta)

    def _close(self) -> None:
        close = getattr(self.deltas, "close", None)
        if close is not None:
            try:
                close()
            except Exception as error:  # what was checked is delivered all the same
                _closing_failed(error)


class ReadAhead:
    """Deltas of an async iterable, read in a task of its own up to a bound; the task also closes it."""

    def __init__(self, deltas: AsyncIterable[str]) -> None:
        self._source: AsyncIterator[str] = aiter(deltas)
        self._task: asyncio.Task[None] | None = None
        self._pieces: deque[str] = deque()
        self._arrived = asyncio.Event()
        self._room = asyncio.Event()
        self._error: BaseException | None = None
        self._ended = False

    def read(self, *, gather: bool = False) -> Work[str | None]:
        """See Source."""
        return Work(_not_here, partial(self._more, gather=gather))

    @property
    def close(self) -> Work[None]:
        """See Source."""
        return Work(_not_here, self._close)

    async def _more(self, *, gather: bool) -> str | None:
        if self._task is None and not self._ended:
            self._task = asyncio.create_task(self._read())
        while not self._pieces and not self._ended:
            self._arrived.clear()
            await self._arrived.wait()
        if self._pieces:
            taken = len(self._pieces) if gather else 1
            self._room.set()
            return "".join(self._pieces.popleft() for _ in range(taken))
        if self._error is not None:
            raise self._error
        return None

    async def _close(self) -> None:
        self._ended = True
        if self._task is None:
            self._task = asyncio.create_task(self._shut())
        elif not self._task.done():
            self._task.cancel()
        await asyncio.wait({self._task})

    async def _read(self) -> None:
        try:
            async for delta in self._source:
                self._pieces.append(_text(delta))
                self._arrived.set()
                if len(self._pieces) >= AHEAD:
                    self._room.clear()
                    await self._room.wait()
        except BaseException as error:
            self._error = error
            if not isinstance(error, Exception):
                raise
        finally:
            await self._shut()
            self._ended = True
            self._arrived.set()

    async def _shut(self) -> None:
        shut = getattr(self._source, "aclose", None)
        if shut is not None:
            try:
                await shut()
            except Exception as error:  # see SyncSource
                _closing_failed(error)


def sync_source(deltas: object) -> SyncSource:
    """Raises UsageError where it is no iterable of texts."""
    if not isinstance(deltas, Iterable) or isinstance(deltas, (str, bytes)):
        raise UsageError(f"deltas must be an iterable of str, got {type(deltas).__name__}. For async: astream.")
    return SyncSource(iter(deltas))


def async_source(deltas: object) -> ReadAhead:
    """Raises UsageError where it is no async iterable."""
    if not isinstance(deltas, AsyncIterable):
        raise UsageError(f"deltas must be an async iterable of str, got {type(deltas).__name__}. For sync: stream.")
    return ReadAhead(deltas)


def _text(delta: object) -> str:
    if not isinstance(delta, str):
        raise UsageError(f"deltas must be str, got {type(delta).__name__}. Pass the text of each chunk.")
    return delta


def _closing_failed(error: Exception) -> None:
    _log.warning("closing the source of a stream failed", exc_info=error)


def _not_here() -> NoReturn:
    raise TypeError("an async source can only be awaited")


async def _not_awaited() -> NoReturn:
    raise TypeError("a sync source cannot be awaited")
