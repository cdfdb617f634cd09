"""Checks at work: in threads, or awaited where the engine waits for others; bounded, timed, and fair."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

from guardrail.check.contract import AsyncEngine, Engine
from guardrail.check.threads import cores, in_thread
from guardrail.engines.local.engine import LocalEngine
from guardrail.errors import UsageError
from guardrail.repair.generators import Generator
from guardrail.service.errors import Busy, Invalid
from guardrail.service.measures import Measures
from guardrail.service.processes import Processes
from guardrail.service.settings import Limits, Settings
from guardrail.service.turns import Turn, Turns, Work

T = TypeVar("T")

Wait = Callable[[Awaitable[Any]], Any]
"""In a thread: waits for what is awaited in the event loop."""

_LAST_LOOK = 0.05
"""Seconds between two looks whether all has ended."""


class Pool:
    """The turns of the processor, and those of engines that wait for a network; each with a queue of its own.

    A check that runs out of its time is answered 503, but a thread cannot be stopped: it keeps its turn to its end, so
    that no more run at once than are meant to. The policy's deadline ends it.
    """

    def __init__(self, limits: Limits, measures: Measures) -> None:
        self.limits = limits
        self.threads = Turns(threads_of(limits), limits.queue, measures)
        self.awaited = Turns(limits.awaited, limits.queue, measures)

    async def do(
        self,
        engine: Engine | AsyncEngine,
        work: Work,
        in_a_thread: Callable[[Wait], T],
        awaited: Callable[[], Awaitable[T]],
    ) -> T:
        """The result of ``in_a_thread``; of ``awaited`` for an engine that can be awaited.

        Raises:
            Busy: the queue is full, or time ran out.
            Invalid: the work raised a UsageError.
        """
        waits = isinstance(engine, AsyncEngine)
        turns = self.awaited if waits else self.threads
        try:
            async with asyncio.timeout(self.limits.seconds):
                if not waits:
                    return await _in_turn(turns, work, in_a_thread)
                async with turns.turn(work):
                    return await awaited()
        except TimeoutError:
            raise Busy(
                f"not done within {self.limits.seconds:g} s. Try again later, or with less text.", turns.wait_seconds()
            ) from None
        except UsageError as error:
            raise Invalid(str(error)) from None

    def change(self, limits: Limits) -> None:
        """Take over limits that have changed."""
        self.limits = limits
        self.threads.longest = self.awaited.longest = limits.queue

    async def ended(self, seconds: float) -> None:
        """Return when nothing is at work any more, or after so many seconds."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not (self.threads.idle and self.awaited.idle) and loop.time() < end:  # noqa: ASYNC110  once, at the end
            await asyncio.sleep(_LAST_LOOK)


def threads_of(limits: Limits) -> int:
    """Checks that run at once in one worker: one per core, two at least so that a large one never holds all.

    With processes one for each: large ones, which never hold all turns, leave a process to the others.
    """
    return limits.processes or limits.threads or max(2, min(4, cores()))


def make_processes(settings: Settings, measures: Measures) -> Processes | None:
    """The processes of the local engine, which share the cores; None where there are to be none."""
    if not (count := settings.limits.processes):
        return None
    engine = LocalEngine(threads=max(1, cores() // (count * settings.workers)))
    return Processes(engine, count, settings.limits.seconds, measures, settings.log_level)


def here(regenerate: Generator | None, wait: Wait) -> Generator | None:
    """A generator that may be async, for a thread."""
    if regenerate is None:
        return None

    def call(*args: Any, **kwargs: Any) -> Any:
        value = regenerate(*args, **kwargs)
        return wait(value) if inspect.isawaitable(value) else value

    return call


async def _in_turn(turns: Turns, work: Work, in_a_thread: Callable[[Wait], T]) -> T:
    """The result of a thread. The turn ends when the thread does, also where nobody wants the result any more."""
    turn = await turns.take(work)
    wait = partial(_wait_for, asyncio.get_running_loop(), turn)
    running = asyncio.wrap_future(in_thread(partial(in_a_thread, wait)))
    running.add_done_callback(partial(_end, turn))
    return await asyncio.shield(running)


def _end(turn: Turn, running: asyncio.Future[Any]) -> None:
    turn.end()
    if not running.cancelled():
        running.exception()  # looked at, so that nobody warns where nobody waits any more


def _wait_for(loop: asyncio.AbstractEventLoop, turn: Turn, awaitable: Awaitable[T]) -> T:
    async def others_go_on() -> T:
        async with turn.given_up():
            return await awaitable

    return asyncio.run_coroutine_threadsafe(others_go_on(), loop).result()
