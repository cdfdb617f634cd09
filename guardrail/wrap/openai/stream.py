"""Streams of chunks whose text was checked, for sync and async callers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Any, ClassVar, Self

import openai
from openai.types.chat import ChatCompletionChunk

from guardrail.check.drivers import Events
from guardrail.guard import Guard
from guardrail.streaming.events import Delta, Finished, Mode
from guardrail.types import GuardedAnswer, Passage
from guardrail.wrap.kinds import END, Items, Regenerators, Streams
from guardrail.wrap.openai.chunks import Chunks
from guardrail.wrap.openai.request import Request
from guardrail.wrap.written import Written, written


class _Checked:
    """The checked chunks of one stream."""

    _streams: ClassVar[Streams]

    def __init__(
        self,
        raw: openai.Stream[ChatCompletionChunk] | openai.AsyncStream[ChatCompletionChunk],
        guard: Guard,
        request: Request,
        passages: tuple[Passage, ...],
        regenerators: Regenerators,
        again: list[Written],
    ) -> None:
        self.guardrail: GuardedAnswer | None = None
        self._raw: Any = raw
        self._guard, self._request, self._passages, self._regenerators = guard, request, passages, regenerators
        self._again = again
        self._read: Items = self._streams.iter(raw)
        self._opened: list[object] = [raw]
        self._chunks: Items = self._streams.given_until(self._run(Chunks()), self._opened)

    def _run(self, chunks: Chunks) -> Events[ChatCompletionChunk]:
        while (chunk := (yield self._streams.next(self._read))) is not END:
            first, rest = chunks.take(chunk)
            if rest is not None:
                yield rest
            if first:
                yield from (self._object if self._request.as_json else self._texts)(chunks, first)
                return

    def _texts(self, chunks: Chunks, first: str) -> Events[ChatCompletionChunk]:
        deltas = self._streams.given(self._deltas(chunks, first))
        if self._request.mode == "buffer":
            said: list[str] = []
            while (delta := (yield self._streams.next(deltas))) is not END:
                said.append(delta)
            if chunks.calls_tools:  # words that go along with calls of tools are no answer
                yield chunks.say("".join(said))
                yield from chunks.rest()
                return
            deltas = self._streams.given(each for each in said)
        events = self._events(deltas, self._request.mode)
        while (event := (yield self._streams.next(events))) is not END:
            if isinstance(event, Finished):
                self.guardrail = event.guarded
            elif isinstance(event, Delta):
                yield chunks.say(event.text)
        yield from chunks.rest()

    def _object(self, chunks: Chunks, first: str) -> Events[ChatCompletionChunk]:
        """An object is held back until the field with its answer is checked; in observe mode it leaves as it comes."""
        request, said, shown = self._request, list[str](), self._request.mode == "observe"
        deltas = self._streams.given(self._deltas(chunks, first))
        while (delta := (yield self._streams.next(deltas))) is not END:
            said.append(delta)
            if shown:
                yield chunks.say(delta)
        text = "".join(said)
        spelled = written(text, None, request.field, as_json=True)
        if chunks.calls_tools or spelled is None:  # no answer, or an object with an empty one
            if not shown:
                yield chunks.say(text)
            yield from chunks.rest()
            return
        events = self._events(self._streams.given(each for each in (spelled.answer,)), "observe" if shown else "buffer")
        while (event := (yield self._streams.next(events))) is not END:
            if isinstance(event, Finished):
                self.guardrail = event.guarded
        if self.guardrail is not None and not shown:
            best = next((each for each in self._again if each.answer == self.guardrail.report.answer), spelled)
            yield chunks.say(best.with_answer(self.guardrail.text).text)
        yield from chunks.rest()

    def _events(self, deltas: Items, mode: Mode) -> Items:
        """The guard's events of a stream of texts."""
        events = self._streams.guarded(
            self._guard,
            deltas,
            self._passages,
            self._regenerators,
            question=self._request.question,
            mode=mode,
            policy=self._request.policy,
        )
        self._opened.append(events)
        return events

    def _deltas(self, chunks: Chunks, first: str) -> Events[str]:
        yield first
        while (chunk := (yield self._streams.next(self._read))) is not END:
            text, rest = chunks.take(chunk)
            if rest is not None:
                chunks.later.append(rest)
            if text:
                yield text


class GuardedStream(_Checked, Iterator[ChatCompletionChunk]):
    """Chunks as ``openai.Stream`` gives them; ``guardrail`` is the GuardedAnswer once the stream has ended."""

    _streams = Streams(asynchronous=False)

    def __next__(self) -> ChatCompletionChunk:
        chunk: ChatCompletionChunk = next(self._chunks)
        return chunk

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the stream; the model's is closed too."""
        self._chunks.close()
        self._raw.close()  # also where nobody has read from it


class GuardedAsyncStream(_Checked, AsyncIterator[ChatCompletionChunk]):
    """The same for ``openai.AsyncStream``; the event loop is not blocked."""

    _streams = Streams(asynchronous=True)

    async def __anext__(self) -> ChatCompletionChunk:
        chunk: ChatCompletionChunk = await anext(self._chunks)
        return chunk

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the stream; the model's is closed too."""
        await self._chunks.aclose()
        await self._raw.close()
