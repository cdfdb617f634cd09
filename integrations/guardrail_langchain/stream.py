"""Streams of a guarded chain: the inner chain's chunks in, checked chunks of the same shapes out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from guardrail import Passage
from guardrail.check.drivers import Events, Program
from guardrail.repair.feedback import Feedback
from guardrail.streaming import Delta, Finished, Mode, StreamEvent
from guardrail.wrap.kinds import END, Items, Regenerators, Streams
from guardrail.wrap.time_limit import NoAnswerInTime, before
from guardrail_langchain.callbacks import suppress_tracing
from guardrail_langchain.documents import to_passages
from guardrail_langchain.parts import configured
from guardrail_langchain.regeneration import Call
from guardrail_langchain.runnable import Begun, GuardedRunnable, tell
from guardrail_langchain.split import Split


def streamed(
    chain: GuardedRunnable,
    mode: Mode,
    streams: Streams,
    inputs: Items,
    begin: Callable[[], Begun],
    inner_stream: Callable[..., Items],
) -> Items:
    """The chunks of one stream."""
    opened: list[object] = []
    return streams.given_until(_chunks(chain, mode, streams, inputs, begin, inner_stream, opened), opened)


def _chunks(
    chain: GuardedRunnable,
    mode: Mode,
    streams: Streams,
    inputs: Items,
    begin: Callable[[], Begun],
    inner_stream: Callable[..., Items],
    opened: list[object],
) -> Events[Any]:
    given = yield from _sum(streams, streams.iter(inputs))
    begun = begin()
    split = Split(chain.parts, given, open_to_all=mode == "observe")
    work = _Stream(chain, mode, given, begun, split)
    source = streams.iter(inner_stream(given, begun.inner))
    opened.append(source)

    def read(deadline: float | None = None) -> Program[Any]:
        """Each step by itself: between them the guard works, and whoever reads the stream."""
        with suppress_tracing(chain.hide_from):
            return (yield before(deadline, streams.next(source), chain.answer_timeout))

    def texts() -> Events[str]:
        yield from split.take()
        while (chunk := (yield from read())) is not END:
            split.part(chunk)
            yield from split.take()

    until = None if chain.answer_timeout is None else time.monotonic() + chain.answer_timeout
    try:
        while (chunk := (yield from read(None if split.begun else until))) is not END:
            if (through := split.part(chunk)) is not None:
                yield through
            if work.is_ready:
                break
        else:
            split.check_complete()
    except NoAnswerInTime as late:
        if not streams.asynchronous:
            opened.remove(source)  # at work in its thread, it cannot be closed
        yield (yield from chain.unanswered(given, begun, late))
        return
    with begun.place.check():
        events = streams.guarded(
            chain.guard,
            streams.given(texts()),
            work.passages,
            Regenerators() if chain.regeneration is None else Regenerators.of(work.answered_again),
            question=work.question,
            mode=work.mode,
            policy=configured(begun.config, "guardrail_policy"),
        )
    opened.append(events)
    while (event := (yield streams.next(events))) is not END:
        if isinstance(event, Finished):
            yield from tell(chain.listener, event.guarded)
        yield from work.chunks_of(event)


@dataclass(frozen=True, slots=True)
class _Stream:
    """One stream of a guarded chain."""

    chain: GuardedRunnable
    chain_mode: Mode
    given: Any
    begun: Begun
    split: Split
    again: list[Any] = field(default_factory=list)

    @property
    def is_ready(self) -> bool:
        """Whether the check may begin before the chain is done."""
        if self.chain_mode == "buffer" or not self.split.begun or self.split.grows:
            return False
        parts, output = self.chain.parts, self.split.output
        if not parts.has_question(output):
            return False
        if self.chain_mode == "observe" or not isinstance(output, Mapping):
            return True
        return parts.has_documents(output, configured(self.begun.config, "documents"), self.begun.retrieved)

    @property
    def mode(self) -> Mode:
        """A finished message comes in one piece: it is checked as a whole."""
        return "buffer" if self.split.at_once and self.chain_mode == "sentence" else self.chain_mode

    @property
    def question(self) -> str | None:
        """As far as it has come."""
        return self.chain.parts.find_question(self.given, self.split.output)

    def passages(self) -> list[Passage]:
        """What has been retrieved by now."""
        return to_passages(self._documents())

    def answered_again(self, feedback: Feedback) -> Program[str]:
        """A new answer."""
        if self.chain.regeneration is None:
            raise TypeError("only where there is something to ask again")
        call = Call(self.given, self.split.output, self._documents(), self.question, self.begun.inner, self.again)
        return self.chain.regeneration.answered(call, feedback)

    def chunks_of(self, event: StreamEvent) -> Iterator[Any]:
        """The chunks that an event becomes."""
        if isinstance(event, Delta) and not (self.split.at_once and self.mode == "buffer"):
            yield self.split.delta(event.text)
        elif isinstance(event, Finished):
            yield from self.split.ending(event.guarded, self.chain.verdict(event.guarded), self.again)

    def _documents(self) -> Any:
        given = configured(self.begun.config, "documents")
        return self.chain.parts.find_documents(self.split.output, given, self.begun.retrieved)


def _sum(streams: Streams, inputs: Items) -> Program[Any]:
    """The whole input of a stream, as LangChain adds chunks up."""
    whole = yield streams.next(inputs)
    if whole is END:
        return None
    while (chunk := (yield streams.next(inputs))) is not END:
        try:
            whole = whole + chunk
        except TypeError:
            whole = chunk
    return whole
