"""Streams of a guarded chain: the inner chain's chunks in, checked chunks of the same shapes out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
from langchain_core.runnables import RunnableConfig

from guardrail import Passage
from guardrail.repair.feedback import Feedback
from guardrail.streaming import Delta, Finished, Mode, StreamEvent, aguarded_stream, guarded_stream
from guardrail_langchain.callbacks import unheard, untrace
from guardrail_langchain.documents import to_passages
from guardrail_langchain.parts import configured
from guardrail_langchain.regeneration import Call
from guardrail_langchain.retrieved import Retrieved
from guardrail_langchain.spans import Place
from guardrail_langchain.split import Split

if TYPE_CHECKING:
    from guardrail_langchain.chain import GuardedChain

_END = object()


def streamed(
    chain: GuardedChain,
    inputs: Iterator[Any],
    run_manager: CallbackManagerForChainRun,
    config: RunnableConfig,
    options: Mapping[str, Any],
) -> Iterator[Any]:
    """The chunks of one stream."""
    work = _begin(chain, _sum(list(inputs)), run_manager, config)
    split = work.split
    source = _unheard(chain, chain.inner.stream(work.given, work.inner, **options))
    try:
        for chunk in source:
            if (through := split.part(chunk)) is not None:
                yield through
            if work.ready():
                break
        else:
            split.check_complete()

        def texts() -> Iterator[str]:
            yield from split.take()
            for chunk in source:
                split.part(chunk)
                yield from split.take()

        with work.place.check():
            events = guarded_stream(
                chain.guard,
                texts(),
                work.passages,
                question=work.question(),
                mode=work.mode,
                policy=work.policy,
                regenerate=work.generate if chain.again else None,
            )
        for event in events:
            yield from work.told(event)
    finally:
        _close(source)


async def astreamed(
    chain: GuardedChain,
    inputs: AsyncIterator[Any],
    run_manager: AsyncCallbackManagerForChainRun,
    config: RunnableConfig,
    options: Mapping[str, Any],
) -> AsyncIterator[Any]:
    """The same without blocking the event loop."""
    work = _begin(chain, _sum([each async for each in inputs]), run_manager, config)
    split = work.split
    source = _aunheard(chain, chain.inner.astream(work.given, work.inner, **options))
    try:
        async for chunk in source:
            if (through := split.part(chunk)) is not None:
                yield through
            if work.ready():
                break
        else:
            split.check_complete()

        async def texts() -> AsyncIterator[str]:
            for text in split.take():
                yield text
            async for chunk in source:
                split.part(chunk)
                for text in split.take():
                    yield text

        with work.place.check():
            events = aguarded_stream(
                chain.guard,
                texts(),
                work.passages,
                question=work.question(),
                mode=work.mode,
                policy=work.policy,
                regenerate=work.agenerate if chain.again else None,
            )
        try:
            async for event in events:
                for out in work.told(event):
                    yield out
        finally:
            await _aclose(events)
    finally:
        await _aclose(source)


@dataclass(frozen=True, slots=True)
class _Work:
    """One stream of a guarded chain."""

    chain: GuardedChain
    given: Any
    config: RunnableConfig
    inner: RunnableConfig
    retrieved: Retrieved | None
    place: Place
    split: Split

    def ready(self) -> bool:
        """Whether the check may begin before the chain is done."""
        if self.chain.mode == "buffer" or not self.split.begun:
            return False
        parts, output = self.chain.parts, self.split.output
        if not parts.has_question(output):
            return False
        if self.chain.mode == "observe" or not isinstance(output, Mapping):
            return True
        return parts.has_documents(output, configured(self.config, "documents"), self.retrieved)

    @property
    def mode(self) -> Mode:
        """A finished message comes in one piece: it is checked as a whole."""
        return "buffer" if self.split.at_once and self.chain.mode == "sentence" else self.chain.mode

    @property
    def policy(self) -> Any:
        return configured(self.config, "guardrail_policy")

    def question(self) -> str | None:
        return self.chain.parts.find_question(self.given, self.split.output)

    def passages(self) -> list[Passage]:
        return to_passages(self._documents())

    def generate(self, feedback: Feedback) -> str:
        if self.chain.again is None:
            raise TypeError("only where there is something to ask again")
        return self.chain.again.generator(self._call())(feedback)

    def agenerate(self, feedback: Feedback) -> Awaitable[str]:
        if self.chain.again is None:
            raise TypeError("only where there is something to ask again")
        return self.chain.again.agenerator(self._call())(feedback)

    def told(self, event: StreamEvent) -> Iterator[Any]:
        """The chunks that an event becomes."""
        if isinstance(event, Delta) and not (self.split.at_once and self.mode == "buffer"):
            yield self.split.delta(event.text)
        elif isinstance(event, Finished):
            yield from self.split.ending(event.guarded, self.chain.verdict(event.guarded))

    def _call(self) -> Call:
        return Call(self.given, self.split.output, self._documents(), self.question(), self.inner)

    def _documents(self) -> Any:
        return self.chain.parts.find_documents(self.split.output, configured(self.config, "documents"), self.retrieved)


def _begin(
    chain: GuardedChain,
    given: Any,
    run_manager: CallbackManagerForChainRun | AsyncCallbackManagerForChainRun,
    config: RunnableConfig,
) -> _Work:
    untrace(chain.detach)
    place = Place(run_manager.run_id)
    retrieved, inner = chain.inside(config, run_manager, place)
    split = Split(chain.parts, given, open_to_all=chain.mode == "observe")
    return _Work(chain, given, config, inner, retrieved, place, split)


def _unheard(chain: GuardedChain, source: Iterator[Any]) -> Iterator[Any]:
    """Each step by itself: between them the guard works, and whoever reads the stream."""
    try:
        while True:
            with unheard(chain.detach):
                chunk = next(source, _END)
            if chunk is _END:
                return
            yield chunk
    finally:
        _close(source)


async def _aunheard(chain: GuardedChain, source: AsyncIterator[Any]) -> AsyncIterator[Any]:
    try:
        while True:
            with unheard(chain.detach):
                chunk = await anext(source, _END)
            if chunk is _END:
                return
            yield chunk
    finally:
        await _aclose(source)


def _sum(chunks: list[Any]) -> Any:
    """The whole input of a stream, as LangChain adds chunks up."""
    whole = chunks[0] if chunks else None
    for chunk in chunks[1:]:
        try:
            whole = whole + chunk
        except TypeError:
            whole = chunk
    return whole


def _close(source: object) -> None:
    close = getattr(source, "close", None)
    if close is not None:
        close()


async def _aclose(source: object) -> None:
    close = getattr(source, "aclose", None)
    if close is not None:
        await close()
