"""Read an async source ahead, up to a bound, while what has come is checked."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator

from guardrail.errors import UsageError

AHEAD = 256
"""Deltas read before somebody wants them; then the source waits."""

_log = logging.getLogger(__name__)


def read_delta(delta: object) -> str:
    """The delta, if it is a str."""
    if not isinstance(delta, str):
        raise UsageError(f"deltas must be str, got {type(delta).__name__}. Pass the text of each chunk.")
    return delta


class Ahead:
    """Reads a source in a task of its own, which also closes it."""

    def __init__(self, source: AsyncIterable[str]) -> None:
        self._source: AsyncIterator[str] = aiter(source)
        self._task: asyncio.Task[None] | None = None
        self._pieces: deque[str] = deque()
        self._arrived = asyncio.Event()
        self._room = asyncio.Event()
        self._error: BaseException | None = None
        self._ended = False

    async def more(self, *, gather: bool) -> str | None:
        """The next delta, or all that have come; None at the end.

        Raises:
            UsageError: a delta is not a str.
            Exception: what the source raised, behind all that it gave before.
        """
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

    async def close(self) -> None:
        """Stop reading and close the source; returns once it is closed."""
        self._ended = True
        if self._task is None:
            self._task = asyncio.create_task(self._shut())
        elif not self._task.done():
            self._task.cancel()
        await asyncio.wait({self._task})

    async def _read(self) -> None:
        try:
            async for delta in self._source:
                self._pieces.append(read_delta(delta))
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
            except Exception as error:  # what was checked is delivered all the same
                _log.warning("closing the source of a stream failed", exc_info=error)
