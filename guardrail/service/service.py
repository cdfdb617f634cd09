"""What every route module is given: guards by name, and checks that do not block the event loop."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.trace import NoOpTracerProvider

from guardrail.check.contract import AsyncEngine, Draft
from guardrail.check.intake import ClaimLike, PassageLike
from guardrail.check.threads import in_thread
from guardrail.errors import UsageError
from guardrail.guard import Guard
from guardrail.repair.generators import Generator
from guardrail.service.errors import Busy, Invalid, NotAllowed, TooLarge, Unknown
from guardrail.service.guards import build_guards, threads_of
from guardrail.service.keys import client
from guardrail.service.measures import Measures
from guardrail.service.settings import Settings
from guardrail.service.turns import Turn, Turns, Work
from guardrail.telemetry import Telemetry
from guardrail.types import GuardedAnswer, Passage, Report

if TYPE_CHECKING:
    from guardrail.policy.policy import Policy
    from guardrail.telemetry.records import RecordStore

T = TypeVar("T")

_log = logging.getLogger("guardrail.service")

CheckResult = Report
"""What ``check`` returns."""

Guarded = GuardedAnswer
"""What ``run`` returns."""


class Service:
    """The guards of the settings at work, in one event loop.

    Attributes:
        settings: As they stand now; they may be others at the next request (hot reload), so keep nothing of them.
        records: The record store of all guards; None = none is kept.
        ready: Whether all engines are warm.
        draining: Whether the service is about to end.
        closing: What else is to be closed at the end: route modules add to it.
    """

    def __init__(self, settings: Settings) -> None:
        """Build all guards.

        Raises:
            ConfigurationError: a guard or the record store cannot be.
            MissingExtraError: what an engine needs is not installed.
        """
        self.settings = settings
        self.records = _records(settings)
        self.ready = False
        self.draining = False
        self.closing: list[Callable[[], Awaitable[None]]] = []
        self.threads = Turns(threads_of(settings), settings.limits.queue)
        self.awaited = Turns(settings.limits.awaited, settings.limits.queue)
        self.measures = Measures()
        self._guards = build_guards(settings, self.records)

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """Warm engines inside the block; at its end the checks under way are waited for, and the records written."""
        warming = asyncio.ensure_future(self._warm())
        try:
            yield
        finally:
            warming.cancel()
            self.draining = True
            for close in self.closing:
                await close()
            if self.records is not None:
                await asyncio.to_thread(self.records.close)

    async def _warm(self) -> None:
        """One check by each engine of this process; a model elsewhere is not asked, since it costs."""
        for name, (_, guard) in self._guards.items():
            if not isinstance(guard.judge, AsyncEngine):
                await asyncio.wrap_future(in_thread(partial(_warm_up, guard)))
                _log.info("guard %s is ready", name)
        self.ready = True

    def guard(self, name: str | None = None) -> Guard:
        """The guard of that name; None = the default one.

        Raises:
            Unknown: there is none.
            NotAllowed: the key of this request is not for it.
        """
        name = self.settings.default_guard if name is None else name
        allowed = client.get().guards
        if allowed and name not in allowed:
            raise NotAllowed(f"this key is not for the guard {name!r}. It is for: {', '.join(allowed)}.", status=403)
        if name not in self._guards:
            known = ", ".join(sorted(set(self._guards) & set(allowed)) if allowed else sorted(self._guards))
            raise Unknown(f"no guard {name[:64]!r}. Known: {known}.")
        return self._guards[name][1]

    @property
    def guard_names(self) -> tuple[str, ...]:
        """All guards, the default one first."""
        return tuple(sorted(self._guards, key=lambda name: (name != self.settings.default_guard, name)))

    async def check(
        self,
        guard: Guard,
        *,
        answer: str,
        passages: Sequence[PassageLike],
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
        policy: Policy | None = None,
    ) -> CheckResult:
        """Check an answer; see Guard.check.

        Raises:
            Busy: the queue is full, or the check did not end in time.
            TooLarge: more passages than the limit.
            Invalid: something that Guard.check refuses.
        """
        given = {"question": question, "claims": claims, "policy": policy}
        return await self._at_work(
            guard,
            self._work(answer, passages),
            lambda _: guard.check(answer, passages, **given),
            lambda: guard.acheck(answer, passages, **given),
        )

    async def run(
        self,
        guard: Guard,
        *,
        answer: str,
        passages: Sequence[PassageLike],
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
        policy: Policy | None = None,
        regenerate: Generator | None = None,
    ) -> Guarded:
        """Check an answer and do what the policy says; see Guard.run. ``regenerate`` may be async.

        Raises:
            Busy: as ``check``.
            TooLarge: as ``check``.
            Invalid: as ``check``.
        """
        given = {"question": question, "claims": claims, "policy": policy}
        return await self._at_work(
            guard,
            self._work(answer, passages),
            lambda wait: guard.run(answer, passages, regenerate=_here(regenerate, wait), **given),
            lambda: guard.arun(answer, passages, regenerate=regenerate, **given),
        )

    async def extract(self, guard: Guard, *, answer: str, question: str | None = None) -> Draft:
        """Take an answer apart; see Guard.extract.

        Raises:
            Busy: as ``check``.
            Invalid: as ``check``.
        """
        return await self._at_work(
            guard,
            self._work(answer, ()),
            lambda _: guard.draft(answer, question),
            lambda: guard.adraft(answer, question),
        )

    def _work(self, answer: str, passages: Sequence[PassageLike]) -> Work:
        """What it will take, by the characters to be read.

        Raises:
            TooLarge: too many passages.
        """
        limits = self.settings.limits
        if len(passages) > limits.passages:
            raise TooLarge(f"{len(passages)} passages, and the limit is {limits.passages}. Pass those that were used.")
        size = sum(len(p.text if isinstance(p, Passage) else str(p)) for p in passages) + len(answer)
        return Work(client=client.get().name, cost=1 + size / 1_000, large=size > limits.large)

    async def _at_work(
        self,
        guard: Guard,
        work: Work,
        here: Callable[[Callable[[Awaitable[Any]], Any]], T],
        awaited: Callable[[], Awaitable[T]],
    ) -> T:
        """The result of ``here`` in a thread, or of ``awaited`` for an engine that waits for others."""
        waits = isinstance(guard.judge, AsyncEngine)
        turns = self.awaited if waits else self.threads
        try:
            async with asyncio.timeout(self.settings.limits.seconds):
                if not waits:
                    return await _in_turn(turns, work, here)
                async with turns.turn(work):
                    return await awaited()
        except TimeoutError:
            raise Busy(
                f"not done within {self.settings.limits.seconds:g} s. Try again later, or with less text.",
                turns.wait_seconds(),
            ) from None
        except UsageError as error:
            raise Invalid(str(error)) from None


async def _in_turn(turns: Turns, work: Work, here: Callable[[Callable[[Awaitable[Any]], Any]], T]) -> T:
    """The result of a thread. The turn ends when the thread does, also where nobody wants the result any more."""
    turn = await turns.take(work)
    running = asyncio.wrap_future(in_thread(partial(here, partial(_wait_for, asyncio.get_running_loop(), turn))))
    running.add_done_callback(lambda _: turn.end())
    return await asyncio.shield(running)


def _wait_for(loop: asyncio.AbstractEventLoop, turn: Turn, awaitable: Awaitable[T]) -> T:
    """In a thread: what is awaited in the event loop, while others have the turn."""

    async def others_go_on() -> T:
        async with turn.given_up():
            return await awaitable

    return asyncio.run_coroutine_threadsafe(others_go_on(), loop).result()


def _here(regenerate: Generator | None, wait: Callable[[Awaitable[Any]], Any]) -> Generator | None:
    """A generator that may be async, for a thread."""
    if regenerate is None:
        return None

    def call(*args: Any, **kwargs: Any) -> Any:
        value = regenerate(*args, **kwargs)
        return wait(value) if inspect.isawaitable(value) else value

    return call


def _warm_up(guard: Guard) -> None:
    # It is nobody's answer: no record, no trace, and no count.
    quiet = replace(
        guard, telemetry=Telemetry(tracer_provider=NoOpTracerProvider(), meter_provider=NoOpMeterProvider())
    )
    quiet.check("The bridge was opened in 1932.", ["The bridge was opened in 1932, after eight years of work."])


def _records(settings: Settings) -> RecordStore | None:
    if settings.records is None:
        return None
    from guardrail.telemetry.records import RecordStore

    kept = settings.records
    return RecordStore(settings.folder / kept.path, sample=kept.sample, days=kept.days, max_records=kept.max_records)
