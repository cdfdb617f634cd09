"""One answer through the guard, whole or as a stream: what query engines and chat engines share."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass

from llama_index.core.types import TokenAsyncGen, TokenGen

from guardrail import Guard, GuardedAnswer, UsageError
from guardrail.check.intake import PassageLike
from guardrail.errors import did_you_mean
from guardrail.repair.generators import Generator
from guardrail.streaming import MODES, Delta, Finished, Mode, StreamEvent, aguarded_stream, guarded_stream
from guardrail_llamaindex.events import aobserved, ended, observed, started
from guardrail_llamaindex.spans import Place

Passages = Iterable[PassageLike]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """How answers are checked; shared by all calls of an engine.

    Attributes:
        guard: Checks, decides and repairs.
        mode: Of streams.
        kind: ``query`` or ``chat``, for events.
    """

    guard: Guard
    mode: Mode
    kind: str

    def __post_init__(self) -> None:
        if not isinstance(self.guard, Guard):
            raise UsageError(f"guard must be a Guard, got {type(self.guard).__name__}. Write Guard(policy=...).")
        if self.mode not in MODES:
            raise UsageError(f"unknown mode {self.mode!r}. {did_you_mean(str(self.mode), MODES)}")

    def run(
        self, answer: str, passages: Passages, question: str, regenerate: Generator | None, place: Place
    ) -> GuardedAnswer:
        """Check a whole answer."""
        with place.check():
            return observed(
                self.kind, lambda: self.guard.run(answer, passages, question=question, regenerate=regenerate)
            )

    async def arun(
        self, answer: str, passages: Passages, question: str, regenerate: Generator | None, place: Place
    ) -> GuardedAnswer:
        """The same without blocking the event loop."""
        with place.check():
            return await aobserved(
                self.kind, lambda: self.guard.arun(answer, passages, question=question, regenerate=regenerate)
            )

    def stream(
        self,
        deltas: Iterable[str],
        passages: Passages,
        question: str,
        regenerate: Generator | None,
        finish: Callable[[GuardedAnswer], None],
        place: Place,
    ) -> TokenGen:
        """Text as it may leave; ``finish`` is called with the verdict before the iterator ends.

        Labels and the place among the spans are those of the call, not of whoever reads.
        """
        started(self.kind, self.mode)
        with place.check(stream=True):
            events = guarded_stream(
                self.guard, deltas, passages, question=question, mode=self.mode, regenerate=regenerate
            )
        return self._texts(events, finish)

    def astream(
        self,
        deltas: AsyncIterable[str],
        passages: Passages,
        question: str,
        regenerate: Generator | None,
        finish: Callable[[GuardedAnswer], None],
        place: Place,
    ) -> TokenAsyncGen:
        """The same without blocking the event loop."""
        started(self.kind, self.mode)
        with place.check(stream=True):
            events = aguarded_stream(
                self.guard, deltas, passages, question=question, mode=self.mode, regenerate=regenerate
            )
        return self._atexts(events, finish)

    def _texts(self, events: Iterator[StreamEvent], finish: Callable[[GuardedAnswer], None]) -> TokenGen:
        for event in events:
            if isinstance(event, Delta):
                yield event.text
            elif isinstance(event, Finished):
                ended(event.guarded, self.kind, self.mode)
                finish(event.guarded)

    async def _atexts(
        self, events: AsyncIterator[StreamEvent], finish: Callable[[GuardedAnswer], None]
    ) -> TokenAsyncGen:
        try:
            async for event in events:
                if isinstance(event, Delta):
                    yield event.text
                elif isinstance(event, Finished):
                    ended(event.guarded, self.kind, self.mode)
                    finish(event.guarded)
        finally:
            if isinstance(events, AsyncGenerator):  # a reader that stops early stops the model too
                await events.aclose()
