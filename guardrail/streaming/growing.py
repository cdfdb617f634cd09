"""An answer that comes again and again, a little longer each time: only its new sentences are checked.

That is how gateways sample a stream. What is settled of it (no continuation takes it apart otherwise) may leave; the
rest is checked as if the answer ended there, since the gateway does not say when it does.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.trace import NoOpTracerProvider

from guardrail.check.contract import AsyncEngine, Engine
from guardrail.check.drivers import Events, Work, aiterate, iterate
from guardrail.streaming.events import Delta, Finished, StreamEvent
from guardrail.streaming.memory import Memory
from guardrail.streaming.stream import stream_events, stream_work
from guardrail.streaming.work import StreamGuard
from guardrail.telemetry import Telemetry
from guardrail.types import Action, GuardedAnswer, Passage

_ENDED = re.compile(r"[.!?:;…|。！？：；][\"'”’)\]*_`]{0,4}\s*$|```\s*$|\n\s*$")
"""How a text ends that may be whole; a list item or title without a stop is taken for unfinished."""


class GrowingGuard(StreamGuard, Protocol):
    """What an answer that grows needs of a guard besides: to be checked by another engine, and counted once."""

    def with_engine(self, engine: Engine | AsyncEngine, telemetry: Telemetry) -> GrowingGuard:
        """The same guard with that engine, telling that telemetry."""
        ...

    def run(self, answer: str, passages: tuple[Passage, ...], *, question: str | None) -> GuardedAnswer:
        """See Guard.run."""
        ...

    async def arun(self, answer: str, passages: tuple[Passage, ...], *, question: str | None) -> GuardedAnswer:
        """See Guard.run."""
        ...


@dataclass(frozen=True, slots=True)
class Grown:
    """What to do with an answer as far as it has come.

    Attributes:
        text: What to deliver of it, if this is all.
        settled: Characters of ``text`` that no continuation changes.
        blocked: The policy blocks, for something that is settled or looks whole.
        guarded: What was found.
    """

    text: str
    settled: int
    blocked: bool
    guarded: GuardedAnswer


@dataclass(slots=True)
class Growing:
    """One answer of one call; ``memory`` holds what was read of it."""

    guard: GrowingGuard
    passages: tuple[Passage, ...]
    question: str | None
    memory: Memory = field(init=False)

    def __post_init__(self) -> None:
        self.memory = Memory(self.guard.judge)

    def sample(self, answer: str) -> Grown:
        """Check what has come of the answer; a part that was read before is not read again."""
        source, seen = OneText(answer), _Seen()
        events: Iterator[StreamEvent] = iterate(self._events(source), source.close)
        for event in events:
            seen.hear(event, ended=source.ended)
        return seen.grown(answer)

    async def asample(self, answer: str) -> Grown:
        """The same, awaited."""
        source, seen = OneText(answer), _Seen()
        events: AsyncIterator[StreamEvent] = aiterate(self._events(source), source.close)
        async for event in events:
            seen.hear(event, ended=source.ended)
        return seen.grown(answer)

    def count(self, answer: str) -> GuardedAnswer:
        """Tell telemetry and records of the whole answer, as of one."""
        return self._with_memory(self.guard.telemetry).run(answer, self.passages, question=self.question)

    async def acount(self, answer: str) -> GuardedAnswer:
        """The same, awaited."""
        return await self._with_memory(self.guard.telemetry).arun(answer, self.passages, question=self.question)

    def _events(self, source: OneText) -> Events[StreamEvent]:
        guard = self._with_memory(_SILENT)
        return stream_events(
            "sentence", stream_work(guard, source, self.passages, self.question, "sentence", None, None)
        )

    def _with_memory(self, telemetry: Telemetry) -> GrowingGuard:
        return self.guard.with_engine(self.memory, telemetry)


_SILENT = Telemetry(tracer_provider=NoOpTracerProvider(), meter_provider=NoOpMeterProvider())
"""A sample is no answer yet: nobody hears of it."""


class OneText:
    """One text as the source of a stream, never read ahead; ``ended``: somebody has asked for more."""

    def __init__(self, text: str) -> None:
        self._text: str | None = text
        self.ended = False

    def read(self, *, gather: bool = False) -> Work[str | None]:  # noqa: ARG002  there is only one
        """See Source."""
        return Work(self._next, self._anext)

    @property
    def close(self) -> Work[None]:
        """See Source."""
        return Work(_nothing, _anothing)

    def _next(self) -> str | None:
        text, self._text = self._text, None
        self.ended = text is None
        return text

    async def _anext(self) -> str | None:
        return self._next()


def _nothing() -> None:
    """There is nothing to close."""


async def _anothing() -> None:
    """There is nothing to close."""


@dataclass(slots=True)
class _Seen:
    """The events of a stream: what left before its text had ended is settled."""

    settled: str = ""
    rest: str = ""
    guarded: GuardedAnswer | None = None
    blocked_early: bool = False

    def hear(self, event: StreamEvent, *, ended: bool) -> None:
        if isinstance(event, Delta):
            if ended:
                self.rest += event.text
            else:
                self.settled += event.text
        elif isinstance(event, Finished):
            self.guarded = event.guarded
            self.blocked_early = event.guarded.action is Action.BLOCK and not ended

    def grown(self, answer: str) -> Grown:
        if self.guarded is None:  # pragma: no cover  a stream ends with Finished, or raises
            raise RuntimeError("the stream has no end")
        blocks = self.guarded.action is Action.BLOCK
        whole = self.blocked_early or _ENDED.search(answer) is not None
        return Grown(
            text=self.settled + self.rest,
            settled=len(self.settled),
            blocked=blocks and whole,
            guarded=self.guarded,
        )
