"""An answer that comes again and again, a little longer each time: only its new sentences are checked.

That is how gateways sample a stream. What is settled of it (no continuation takes it apart otherwise) may leave; the
rest is checked as if the answer ended there, since the gateway does not say when it does.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.trace import NoOpTracerProvider

from guardrail.check.contract import AsyncEngine, Engine
from guardrail.guard import Guard
from guardrail.streaming import Delta, Finished, StreamEvent
from guardrail.streaming.memory import Memory
from guardrail.telemetry import Telemetry
from guardrail.types import Action, GuardedAnswer, Passage

if TYPE_CHECKING:
    from guardrail.check.intake import ClaimLike
    from guardrail.policy.policy import Policy
    from guardrail.repair.generators import Generator

_ENDED = re.compile(r"[.!?:;…|。！？：；][\"'”’)\]*_`]{0,4}\s*$|```\s*$|\n\s*$")
"""How a text ends that may be whole; a list item or title without a stop is taken for unfinished."""


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

    guard: Guard
    passages: tuple[Passage, ...]
    question: str | None
    memory: Memory = field(init=False)

    def __post_init__(self) -> None:
        self.memory = Memory(self.guard.judge)

    def with_memory(self, *, quiet: bool) -> Guard:
        """The guard, which remembers; ``quiet``: it tells nobody, for a sample is no answer yet."""
        silent = Telemetry(tracer_provider=NoOpTracerProvider(), meter_provider=NoOpMeterProvider())
        return replace(self.guard, engine=self.memory, telemetry=silent if quiet else self.guard.telemetry)


@dataclass(frozen=True, slots=True)
class Sample:
    """What ``Service.run`` takes for a guard, to check the next sample in its turn.

    ``judge`` is the engine within: it says whether the work waits or needs a thread.
    """

    growing: Growing

    @property
    def judge(self) -> Engine | AsyncEngine:
        """See Guard."""
        return self.growing.guard.judge

    def run(self, answer: str, passages: Sequence[Passage], **_: ClaimLike | Policy | Generator | str | None) -> Grown:
        """The sample, checked."""
        source = _Ends(answer)
        guard = self.growing.with_memory(quiet=True)
        seen = _Seen()
        for event in guard.stream(iter(source), passages, question=self.growing.question, mode="sentence"):
            seen.hear(event, ended=source.ended)
        return seen.grown(answer)

    async def arun(self, answer: str, passages: Sequence[Passage], **_: Any) -> Grown:
        """The same, awaited."""
        source = _Ends(answer)
        guard = self.growing.with_memory(quiet=True)
        seen = _Seen()
        async for event in guard.astream(aiter(source), passages, question=self.growing.question, mode="sentence"):
            seen.hear(event, ended=source.ended)
        return seen.grown(answer)


@dataclass(frozen=True, slots=True)
class Last:
    """The same for the whole answer, once, with telemetry: what was sampled is counted and recorded as one answer."""

    growing: Growing

    @property
    def judge(self) -> Engine | AsyncEngine:
        """See Guard."""
        return self.growing.guard.judge

    def run(self, answer: str, passages: Sequence[Passage], **_: Any) -> GuardedAnswer:
        """See Guard.run."""
        guard = self.growing.with_memory(quiet=False)
        return guard.run(answer, passages, question=self.growing.question)

    async def arun(self, answer: str, passages: Sequence[Passage], **_: Any) -> GuardedAnswer:
        """See Guard.arun."""
        guard = self.growing.with_memory(quiet=False)
        return await guard.arun(answer, passages, question=self.growing.question)


class _Ends:
    """One text as a stream; whether somebody has asked for more."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        yield self._text
        self.ended = True

    async def __aiter__(self) -> AsyncIterator[str]:
        yield self._text
        self.ended = True


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
