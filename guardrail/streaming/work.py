"""What a stream has done for it: text read, passages fetched, answers checked and repaired."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from guardrail.check.contract import AsyncEngine, Engine
from guardrail.check.drivers import Program, maybe_async
from guardrail.check.intake import PassageLike, read_passages
from guardrail.policy.policy import Policy
from guardrail.repair.generators import Generator
from guardrail.streaming.events import Delta, Finished, StreamEvent
from guardrail.streaming.memory import Memory
from guardrail.streaming.source import Source
from guardrail.telemetry import Observation, Telemetry, join
from guardrail.types import GuardedAnswer, Passage, Report, Verdict

PassageSource = Iterable[PassageLike] | Callable[[], Iterable[PassageLike] | Awaitable[Iterable[PassageLike]]]
"""Passages, or a callable that returns them: called once, when the first text must be checked."""


class StreamGuard(Protocol):
    """What a stream needs of a guard: two calls, as programs, and whom they ask."""

    @property
    def judge(self) -> Engine | AsyncEngine:
        """The guard's engine."""
        ...

    @property
    def retriever(self) -> object:
        """None where no passages can be looked up."""
        ...

    @property
    def telemetry(self) -> Telemetry:
        """Whom to tell."""
        ...

    def policy_of_call(self, given: Policy | str | None) -> Policy:
        """The policy of one call, from its beginning to its end."""
        ...

    def checking(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None,
        policy: Policy | str | None,
        engine: Engine | AsyncEngine | None,
    ) -> Program[Report]:
        """``Guard.check``; with an engine, by that one and without a retriever."""
        ...

    def repairing(
        self, report: Report, *, policy: Policy | str | None, regenerate: Generator | None, only_edit: bool
    ) -> Program[GuardedAnswer]:
        """``Guard.repair``; with ``only_edit`` nobody is asked for a new answer."""
        ...


@dataclass(slots=True)
class StreamWork:
    """The work of one stream."""

    guard: StreamGuard
    source: Source
    given: PassageSource
    question: str | None
    regenerate: Generator | None
    policy: Policy
    seen: Observation
    memory: Memory
    passages: tuple[Passage, ...] = ()
    _pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All that was read."""
        return "".join(self._pieces)

    def read(self, *, gather: bool = False) -> Program[str | None]:
        """The next text, or all that is there; None at the end."""
        text: str | None = yield self.source.read(gather=gather)
        if text is not None:
            self._pieces.append(text)
        return text

    def so_far(self) -> Report:
        """What had come of the answer, where none of it was checked."""
        given = self.passages if callable(self.given) else read_passages(self.given)
        return Report(
            verdict=Verdict.UNVERIFIED,
            score=0.0,
            answer=self.text,
            passages=given,
            question=self.question,
            reason="The reader left before it was checked.",
            engine=self.guard.judge.name,
        )

    def close_source(self) -> Program[None]:
        """No more text is wanted."""
        yield self.source.close

    def fetch(self) -> Program[tuple[Passage, ...]]:
        """Get the passages."""
        given: object = self.given
        if callable(given):
            given = yield maybe_async(given, "the callable for passages is async. Use `astream`.")
        self.passages = read_passages(given)
        return self.passages

    def check(self, text: str) -> Program[Report]:
        """Check a whole answer with the guard as it is."""
        return self._check(text, None)

    def check_until(self, text: str, until: int | None, *, long: bool = False) -> Program[Report]:
        """Check an answer up to ``until`` (None = all), each segment once; ``long``: see Memory."""
        self.memory.until, self.memory.long = until, long
        return self._check(text, self.memory)

    def repair(self, report: Report, *, only_edit: bool = False) -> Program[GuardedAnswer]:
        """Apply the policy to a report, and repair what it asks to repair; ``only_edit``: ask for no new answer."""
        self.seen.pieces = False
        with join(self.seen):
            return (
                yield from self.guard.repairing(
                    report, policy=self.policy, regenerate=self.regenerate, only_edit=only_edit
                )
            )

    def deliver(self, text: str) -> Iterator[StreamEvent]:
        """Text that was checked leaves."""
        self.seen.mark_verified()
        yield Delta(text, verified=True)

    def finish(self, guarded: GuardedAnswer) -> Iterator[StreamEvent]:
        """The last event."""
        self.seen.set_delivery(guarded)
        self.seen.close()  # now: many callers stop reading here
        yield Finished(guarded)

    def _check(self, text: str, engine: Memory | None) -> Program[Report]:
        self.seen.pieces = engine is not None
        with join(self.seen):
            return (
                yield from self.guard.checking(
                    text, self.passages, question=self.question, policy=self.policy, engine=engine
                )
            )
