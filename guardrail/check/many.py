"""Many answers checked together: several in flight, in order, inside one deadline and one budget of model calls."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from guardrail.check.contract import AsyncEngine, Engine, Gatherer, VerifyRequest, gatherer_of
from guardrail.check.drivers import Program, arun, run
from guardrail.check.threads import in_order
from guardrail.errors import EngineError, UsageError
from guardrail.types import Cause, Report, SupportMatrix

if TYPE_CHECKING:
    from guardrail.policy.policy import Policy

AT_ONCE = 8
"""Answers in flight: as many as the LLM engine makes requests at once."""

_HELD = 4
"""Answers done or in flight that may wait behind a slow one, in multiples of those in flight."""
_LEAST_CALLS = 2
"""Of an answer, by any plan: in a batch, where nobody knows yet what answers will need, so many are set aside."""

_KEYS = ("answer", "passages", "question", "claims")


@dataclass(frozen=True, slots=True)
class _Stopped:
    """What stands in for the engine once time or budget are over: nothing more is asked."""

    name: str
    reason: str
    cause: Cause

    def verify(self, request: VerifyRequest) -> SupportMatrix:  # noqa: ARG002
        raise EngineError(self.reason, cause=self.cause)


@dataclass(slots=True, kw_only=True)
class Batch:
    """The answers of one call of ``check_many`` and what they share.

    Attributes:
        engine: Of all answers.
        checking: ``Guard.checking``.
        policy: Of all answers.
        deadline: A ``time.monotonic()`` value; None = no limit.
        max_calls: Requests to a model for all answers together; None = no limit.
        gatherer: Makes the calls of all answers together; None = each makes its own.
        calls: Requests made so far by answers that are done.
    """

    engine: Engine | AsyncEngine
    checking: Callable[..., Program[Report]]
    policy: Policy
    deadline: float | None
    max_calls: int | None
    gatherer: Gatherer | None = None
    calls: int = 0
    _lock: Lock = field(default_factory=Lock)

    def check(self, item: Mapping[str, Any], number: int = 0) -> Report:
        """One of the answers; so many go before it."""
        return self._counted(run(self.checking(**self._arguments(item, number))))

    async def acheck(self, item: Mapping[str, Any]) -> Report:
        """The same without blocking the event loop."""
        return self._counted(await arun(self.checking(**self._arguments(item))))

    def _counted(self, report: Report) -> Report:
        with self._lock:
            self.calls += report.usage.calls
        return report

    def _arguments(self, item: Mapping[str, Any], number: int = 0) -> dict[str, Any]:
        policy, stopped = self.policy, None
        spent = self.calls if self.gatherer is None else max(self.calls, (number + 1) * _LEAST_CALLS - 1)
        if self.deadline is not None:
            left = self.deadline - time.monotonic()
            if left <= 0:
                stopped = ("the time for all answers is over", Cause.TIMEOUT)
            elif policy.deadline is None or left < policy.deadline:
                policy = policy.with_(deadline=left)
        if self.max_calls is not None and spent >= self.max_calls:
            made = f"{self.calls} made" if self.gatherer is None else f"{self.max_calls} allowed"
            stopped = (f"the budget of requests for all answers is spent ({made})", Cause.BUDGET)
        engine = None if stopped is None else _Stopped(self.engine.name, *stopped)
        return {**{key: item[key] for key in _KEYS if key in item}, "policy": policy, "engine": engine}


def batch_of(
    engine: Engine | AsyncEngine,
    checking: Callable[..., Program[Report]],
    policy: Policy,
    *,
    seconds: float | None,
    max_calls: int | None,
    at_once: int,
) -> Batch:
    """The batch that these options stand for.

    Raises:
        UsageError: an option is out of its range.
    """
    if at_once < 1 or isinstance(at_once, bool):
        raise UsageError(f"at_once must be at least 1, got {at_once!r}.")
    if seconds is not None and not seconds > 0:
        raise UsageError(f"seconds must be more than 0 or None, got {seconds!r}.")
    if max_calls is not None and max_calls < 0:
        raise UsageError(f"max_calls must be at least 0 or None, got {max_calls!r}.")
    gatherer = gatherer_of(engine)
    if gatherer is not None:
        if seconds is not None:
            raise UsageError("seconds cannot bound batches. Leave it out; BatchSettings(wait=...) bounds each round.")
        policy = policy.with_(deadline=None)  # a deadline is for somebody who waits for one answer
    deadline = None if seconds is None else time.monotonic() + seconds
    return Batch(
        engine=engine, checking=checking, policy=policy, deadline=deadline, max_calls=max_calls, gatherer=gatherer
    )


def read_item(item: object, number: int) -> Mapping[str, Any]:
    """An answer with its passages.

    Raises:
        UsageError: it is no mapping, lacks something, or has a key that nobody reads.
    """
    if not isinstance(item, Mapping):
        raise UsageError(f"answer {number} must be a mapping with 'answer' and 'passages', got {type(item).__name__}.")
    lacking = [key for key in _KEYS[:2] if key not in item]
    unknown = [key for key in item if key not in (*_KEYS, "id")]
    if lacking or unknown:
        what = f"lacks {lacking[0]!r}" if lacking else f"has the unknown key {unknown[0]!r}"
        raise UsageError(f"answer {number} {what}. Known: {', '.join(_KEYS)}, id.")
    return item


def check_all(batch: Batch, answers: Iterable[object], at_once: int) -> Iterator[Report]:
    """Reports in the order of the answers, which are taken as they are needed."""
    items = (read_item(item, number) for number, item in enumerate(answers, 1))
    if batch.gatherer is not None:
        return batch.gatherer.in_order(lambda pair: batch.check(pair[1], pair[0]), enumerate(items))
    return in_order(batch.check, items, at_once)


async def acheck_all(batch: Batch, answers: Iterable[object], at_once: int) -> AsyncIterator[Report]:
    """The same without blocking the event loop."""
    import asyncio  # not before a loop runs: 25 ms of the import
    from collections import deque

    if batch.gatherer is not None:
        raise UsageError("batches take hours, which no event loop should wait for. Use check_many, in a thread.")

    waiting: deque[asyncio.Task[Report]] = deque()
    try:
        for number, item in enumerate(answers, 1):
            waiting.append(asyncio.create_task(batch.acheck(read_item(item, number))))
            while waiting and (waiting[0].done() or len(waiting) >= _HELD * at_once):
                yield await waiting.popleft()
            running = [task for task in waiting if not task.done()]
            if len(running) >= at_once:
                await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        while waiting:
            yield await waiting.popleft()
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
