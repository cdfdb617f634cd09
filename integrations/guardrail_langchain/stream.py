"""Streams of a guarded chain: the inner chain's chunks in, checked chunks of the same shapes out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
from langchain_core.runnables import RunnableConfig

from guardrail import Passage, Policy
from guardrail.streaming import Delta, Finished, Mode, aguarded_stream, guarded_stream
from guardrail_langchain.callbacks import untrace
from guardrail_langchain.documents import to_passages
from guardrail_langchain.regeneration import Call
from guardrail_langchain.retrieved import Retrieved
from guardrail_langchain.split import Split

if TYPE_CHECKING:
    from guardrail_langchain.chain import GuardedChain


@dataclass(frozen=True, slots=True)
class Streamed:
    """One stream of a guarded chain: what sync and async share."""

    chain: GuardedChain
    given: Any
    config: RunnableConfig
    inner: RunnableConfig
    retrieved: Retrieved | None
    split: Split

    @property
    def configurable(self) -> Mapping[str, Any]:
        return self.config.get("configurable") or {}

    def ready(self) -> bool:
        """Whether the check may begin before the chain is done."""
        if self.chain.mode == "buffer" or not self.split.begun:
            return False
        parts, output = self.chain.parts, self.split.output
        if not parts.has_question(output):
            return False
        if self.chain.mode == "observe" or not isinstance(output, Mapping):
            return True
        return parts.has_documents(output, self.configurable.get("documents"), self.retrieved)

    @property
    def mode(self) -> Mode:
        """A finished message comes in one piece: it is checked as a whole."""
        return "buffer" if self.split.at_once and self.chain.mode == "sentence" else self.chain.mode

    @property
    def policy(self) -> Policy | None:
        return self.configurable.get("guardrail_policy")

    def question(self) -> str | None:
        return self.chain.parts.find_question(self.given, self.split.output)

    def documents(self) -> Any:
        found = self.chain.parts.find_documents(
            self.split.output, self.configurable.get("documents"), self.retrieved
        )
        return found

    def passages(self) -> list[Passage]:
        return to_passages(self.documents())

    def call(self) -> Call:
        return Call(self.given, self.split.output, self.documents(), self.question(), self.inner)


def streamed(
    chain: GuardedChain,
    inputs: Iterator[Any],
    run_manager: CallbackManagerForChainRun,
    config: RunnableConfig,
    options: Mapping[str, Any],
) -> Iterator[Any]:
    """The chunks of one stream."""
    untrace(chain.detach)
    given = _sum(list(inputs))
    retrieved, inner = chain.inside(config, run_manager)
    work = Streamed(chain, given, config, inner, retrieved, Split(chain.parts))
    split, again = work.split, chain.again
    source = chain.inner.stream(given, inner, **options)
    try:
        for chunk in source:
            through = split.part(chunk)
            if through is not None:
                yield through
            if work.ready():
                break
        else:
            split.checked()

        def texts() -> Iterator[str]:
            yield from split.take()
            for chunk in source:
                split.part(chunk)
                yield from split.take()

        events = guarded_stream(
            chain.guard,
            texts(),
            work.passages,
            question=work.question(),
            mode=work.mode,
            policy=work.policy,
            regenerate=None if again is None else lambda feedback: again.generator(work.call())(feedback),
        )
        for event in events:
            if isinstance(event, Delta) and not (split.at_once and work.mode == "buffer"):
                yield split.delta(event.text)
            elif isinstance(event, Finished):
                yield from split.ending(event.guarded, chain.verdict(event.guarded))
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
    untrace(chain.detach)
    given = _sum([each async for each in inputs])
    retrieved, inner = chain.inside(config, run_manager)
    work = Streamed(chain, given, config, inner, retrieved, Split(chain.parts))
    split = work.split
    source = chain.inner.astream(given, inner, **options)
