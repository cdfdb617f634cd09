"""Streams of chunks whose text was checked, for sync and async callers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import aclosing
from types import TracebackType
from typing import Self

import openai
from openai.types.chat import ChatCompletionChunk

from guardrail.guard import Guard
from guardrail.repair.feedback import Feedback
from guardrail.streaming.events import Delta, Finished, StreamEvent
from guardrail.types import GuardedAnswer, Passage
from guardrail.wrap.openai.chunks import Chunks
from guardrail.wrap.openai.request import Request


class GuardedStream(Iterator[ChatCompletionChunk]):
    """Chunks as ``openai.Stream`` gives them; ``guardrail`` is the GuardedAnswer once the stream has ended."""

    def __init__(
        self,
        raw: openai.Stream[ChatCompletionChunk],
        guard: Guard,
        request: Request,
        passages: tuple[Passage, ...],
        regenerate: Callable[[Feedback], str],
    ) -> None:
        self.guardrail: GuardedAnswer | None = None
        self._raw, self._guard, self._request = raw, guard, request
        self._passages, self._regenerate = passages, regenerate
        self._chunks = self._run(Chunks())

    def __next__(self) -> ChatCompletionChunk:
        return next(self._chunks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the stream; the model's is closed too."""
        self._chunks.close()
        self._raw.close()

    def _run(self, chunks: Chunks) -> Generator[ChatCompletionChunk]:
        try:
            first = ""
            for chunk in self._raw:
                first, rest = chunks.take(chunk)
                if rest is not None:
                    yield rest
                if first:
                    break
            if first:
                yield from self._texts(chunks, first)
        finally:
            self._raw.close()

    def _texts(self, chunks: Chunks, first: str) -> Generator[ChatCompletionChunk]:
        deltas: Iterator[str] = self._deltas(chunks, first)
        if self._request.mode == "buffer":
            said = list(deltas)
            if chunks.calls_tools:  # words that go along with calls of tools are no answer
                yield chunks.say("".join(said))
                yield from chunks.rest()
                return
            deltas = iter(said)
        events = self._guard.stream(
            deltas,
            self._passages,
            question=self._request.question,
            mode=self._request.mode,
            regenerate=self._regenerate,
            policy=self._request.policy,
        )
        for event in events:
            if (text := self._read(event)) is not None:
                yield chunks.say(text)
        yield from chunks.rest()

    def _deltas(self, chunks: Chunks, first: str) -> Generator[str]:
        yield first
        for chunk in self._raw:
            text, rest = chunks.take(chunk)
            if rest is not None:
                chunks.later.append(rest)
            if text:
                yield text

    def _read(self, event: StreamEvent) -> str | None:
        if isinstance(event, Finished):
            self.guardrail = event.guarded
        return event.text if isinstance(event, Delta) else None


class GuardedAsyncStream(AsyncIterator[ChatCompletionChunk]):
    """The same for ``openai.AsyncStream``; the event loop is not blocked."""

    def __init__(
        self,
        raw: openai.AsyncStream[ChatCompletionChunk],
        guard: Guard,
        request: Request,
        passages: tuple[Passage, ...],
        regenerate: Callable[[Feedback], Awaitable[str]],
    ) -> None:
        self.guardrail: GuardedAnswer | None = None
        self._raw, self._guard, self._request = raw, guard, request
        self._passages, self._regenerate = passages, regenerate
        self._chunks = self._run(Chunks())

    async def __anext__(self) -> ChatCompletionChunk:
        return await anext(self._chunks)

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

    async def _run(self, chunks: Chunks) -> AsyncGenerator[ChatCompletionChunk]:
        try:
            first = ""
            async for chunk in self._raw:
                first, rest = chunks.take(chunk)
                if rest is not None:
                    yield rest
                if first:
                    break
            if first:
                async with aclosing(self._texts(chunks, first)) as texts:
                    async for chunk in texts:
                        yield chunk
        finally:
            await self._raw.close()

    async def _texts(self, chunks: Chunks, first: str) -> AsyncGenerator[ChatCompletionChunk]:
        deltas: AsyncIterator[str] = self._deltas(chunks, first)
        if self._request.mode == "buffer":
            said = [delta async for delta in deltas]
            if chunks.calls_tools:  # see GuardedStream
                yield chunks.say("".join(said))
                for chunk in chunks.rest():
                    yield chunk
                return
            deltas = _again(said)
        events = self._guard.astream(
            deltas,
            self._passages,
            question=self._request.question,
            mode=self._request.mode,
            regenerate=self._regenerate,
            policy=self._request.policy,
        )
        try:
            async for event in events:
                if isinstance(event, Finished):
                    self.guardrail = event.guarded
                elif isinstance(event, Delta):
                    yield chunks.say(event.text)
        finally:
            if isinstance(events, AsyncGenerator):
                await events.aclose()
        for chunk in chunks.rest():
            yield chunk

    async def _deltas(self, chunks: Chunks, first: str) -> AsyncGenerator[str]:
        yield first
        async for chunk in self._raw:
            text, rest = chunks.take(chunk)
            if rest is not None:
                chunks.later.append(rest)
            if text:
                yield text


async def _again(said: list[str]) -> AsyncGenerator[str]:
    for delta in said:
        yield delta
