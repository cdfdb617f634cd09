"""What every route module is given: guards by name, and checks that do not block the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import TypedDict

from guardrail.check.contract import Draft
from guardrail.check.intake import ClaimLike, PassageLike
from guardrail.guard import Guard
from guardrail.policy.policy import Policy
from guardrail.repair.generators import Generator
from guardrail.service.errors import NotAllowed, TooLarge, Unknown
from guardrail.service.guards import build_guards, open_records
from guardrail.service.keys import client
from guardrail.service.measures import Measures
from guardrail.service.pool import Pool, here, make_processes
from guardrail.service.reload import Reload
from guardrail.service.settings import Settings
from guardrail.service.turns import Work
from guardrail.service.warming import warm
from guardrail.types import GuardedAnswer, Passage, Report

CheckResult = Report
"""What ``check`` returns."""

Guarded = GuardedAnswer
"""What ``run`` returns."""

_log = logging.getLogger("guardrail.service")

_BEAT = 0.05
"""Seconds between two beats of the event loop that are measured."""


class _Given(TypedDict):
    question: str | None
    claims: Iterable[ClaimLike] | None
    policy: Policy | None


class Service:
    """The guards of the settings at work, in one event loop.

    Attributes:
        settings: As they stand now; they may be others at the next request (hot reload), so keep nothing of them.
        records: The record store of all guards; None = none is kept.
        measures: Metrics of the service itself.
        processes: Where the local engine reads; None = in threads of this process.
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
        self.records = open_records(settings)
        self.measures = Measures()
        self.ready = False
        self.draining = False
        self.closing: list[Callable[[], Awaitable[None]]] = []
        self.pool = Pool(settings.limits, self.measures)
        self.reload = Reload(self)
        self.processes = make_processes(settings, self.measures)
        self.guards = build_guards(settings, self.records, processes=self.processes)

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """Warm engines and hot reload inside the block; at its end the checks under way are waited for."""
        beside = [asyncio.ensure_future(work) for work in (self._warm(), self.reload.watch(), self._beat())]
        try:
            yield
        finally:
            self.draining = True
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            await self.pool.ended(self.settings.stop_seconds)
            if self.processes is not None:
                await asyncio.to_thread(self.processes.close)
            for close in self.closing:
                await close()
            if self.records is not None:
                await asyncio.to_thread(self.records.close)

    async def _warm(self) -> None:
        try:
            await warm(self.guards)
        except Exception:  # a service that cannot check once is not ready; what is wrong is for its log
            _log.exception("the engines could not be warmed: /readyz stays at 503")
        else:
            self.ready = True

    async def _beat(self) -> None:
        """Measure how late the event loop comes, for ever."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + _BEAT
            await asyncio.sleep(_BEAT)
            self.measures.lag(max(0.0, loop.time() - due))

    def guard(self, name: str | None = None) -> Guard:
        """The guard of that name; None = the default one.

        Raises:
            Unknown: there is none.
            NotAllowed: the key of this request is not for it.
        """
        name = self.settings.default_guard if name is None else name
        allowed = client.get().guards
        if allowed and name not in allowed:
            raise NotAllowed(
                f"this key is not for the guard {name[:64]!r}. It is for: {', '.join(allowed)}.", status=403
            )
        if name not in self.guards:
            raise Unknown(f"no guard {name[:64]!r}. Known: {', '.join(self.guard_names)}.")
        return self.guards[name][1]

    @property
    def guard_names(self) -> tuple[str, ...]:
        """All guards that the client of this request may use, the default one first."""
        allowed, default = client.get().guards, self.settings.default_guard
        names = (name for name in self.guards if not allowed or name in allowed)
        return tuple(sorted(names, key=lambda name: (name != default, name)))

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
        given = _Given(question=question, claims=claims, policy=policy)
        return await self.pool.do(
            guard.judge,
            self.work(answer, passages),
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
        given = _Given(question=question, claims=claims, policy=policy)
        return await self.pool.do(
            guard.judge,
            self.work(answer, passages),
            lambda wait: guard.run(answer, passages, regenerate=here(regenerate, wait), **given),
            lambda: guard.arun(answer, passages, regenerate=regenerate, **given),
        )

    async def extract(self, guard: Guard, *, answer: str, question: str | None = None) -> Draft:
        """Take an answer apart; see Guard.extract.

        Raises:
            Busy: as ``check``.
            Invalid: as ``check``.
        """
        return await self.pool.do(
            guard.judge,
            self.work(answer, ()),
            lambda _: guard.draft(answer, question),
            lambda: guard.adraft(answer, question),
        )

    def work(self, answer: str, passages: Sequence[PassageLike]) -> Work:
        """What it will take, by the characters to be read.

        Raises:
            TooLarge: too many passages.
        """
        limits = self.settings.limits
        if len(passages) > limits.passages:
            raise TooLarge(f"{len(passages)} passages, and the limit is {limits.passages}. Pass those that were used.")
        size = len(answer) + sum(_length(passage) for passage in passages)
        return Work(client=client.get().name, cost=1 + size / 1_000, large=size > limits.large)


def _length(passage: PassageLike) -> int:
    text = (
        passage if isinstance(passage, str) else passage.text if isinstance(passage, Passage) else passage.get("text")
    )
    return len(text) if isinstance(text, str) else 0
