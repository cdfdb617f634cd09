"""One answer through the guard, whole or as a stream: what query engines and chat engines share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from guardrail import Guard, GuardedAnswer
from guardrail.check.drivers import Events, Program
from guardrail.check.intake import PassageLike
from guardrail.streaming import Delta, Finished, Mode
from guardrail.wrap.kinds import END, Items, Regenerators, Streams, guarded_run, read_guard, read_mode
from guardrail_llamaindex.events import ended, observed, started
from guardrail_llamaindex.spans import Place

Passages = Iterable[PassageLike]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """How answers are checked; shared by all calls of an engine.

    Attributes:
        guard: Checks, decides and repairs.
        mode: Of streams.
        kind: ``query``, ``chat`` or ``agent``, for events.
    """

    guard: Guard
    mode: Mode
    kind: str

    def __post_init__(self) -> None:
        read_guard(self.guard, "Guard(policy=...)")
        read_mode(self.mode)

    def run(
        self, answer: str, passages: Passages, question: str, regenerators: Regenerators, place: Place
    ) -> Program[GuardedAnswer]:
        """Check a whole answer."""
        with place.check():
            guarded: GuardedAnswer = yield observed(
                self.kind, guarded_run(self.guard, answer, passages, regenerators, question=question)
            )
            return guarded

    def stream(
        self,
        streams: Streams,
        deltas: Items,
        passages: Passages,
        question: str,
        regenerators: Regenerators,
        finish: Callable[[GuardedAnswer], Program[None]],
        place: Place,
    ) -> Items:
        """Text as it may leave; ``finish`` is run with the verdict before it ends.

        Labels and the place among the spans are those of the call, not of whoever reads. A reader that stops early
        stops the model too.
        """
        started(self.kind, self.mode)
        with place.check(stream=True):
            events = streams.guarded(self.guard, deltas, passages, regenerators, question=question, mode=self.mode)
        return streams.given(self._texts(streams, events, finish), events)

    def _texts(self, streams: Streams, events: Items, finish: Callable[[GuardedAnswer], Program[None]]) -> Events[str]:
        while (event := (yield streams.next(events))) is not END:
            if isinstance(event, Delta):
                yield event.text
            elif isinstance(event, Finished):
                ended(event.guarded, self.kind, self.mode)
                yield from finish(event.guarded)
