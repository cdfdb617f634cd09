"""A LlamaIndex query engine around another: its answer is checked against its source nodes before it is returned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import RESPONSE_TYPE, AsyncStreamingResponse, StreamingResponse
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index.core.types import TokenAsyncGen, TokenGen

from guardrail import Guard, GuardedAnswer, UsageError
from guardrail.repair.generators import Generator
from guardrail.streaming import Mode
from guardrail_llamaindex.answers import atext_of, delivered, text_of
from guardrail_llamaindex.checks import Checks
from guardrail_llamaindex.passages import Selector, to_passages
from guardrail_llamaindex.regeneration import Again, synthesizes
from guardrail_llamaindex.spans import Place
from guardrail_llamaindex.verdict import KEY, MODE_KEY, told


class GuardedQueryEngine(BaseQueryEngine):
    """Answers as the inner engine does; ``response.metadata["guardrail"]`` holds the GuardedAnswer.

    Source nodes are kept. A streaming answer stays one, with ``guardrail_mode`` in its metadata. In buffer mode it is
    returned once it is checked; in the other modes ``guardrail`` is None until the stream has ended. No state of a call
    lives here, so one object serves concurrent queries.

    Args:
        engine: The engine that answers.
        guard: Checks, decides and repairs.
        mode: When the text of a stream leaves: ``buffer`` (all of it is checked), ``sentence`` (its sentence is), or
            ``observe`` (at once, unchecked).
        regenerate: Where the policy asks for a new answer: True lets the inner engine synthesize again from the same
            nodes, if it can; False never asks; a callable is asked with the Feedback.
        passages: Turns source nodes into the passages to check against. Give your own where some of them are
            generated texts, such as the sub-answers of a sub-question engine.
        sealed: Whether the verdict in the metadata must not hold words that were withheld.

    Raises:
        UsageError: the guard is no Guard, or the mode is unknown.
    """

    def __init__(
        self,
        engine: BaseQueryEngine,
        guard: Guard,
        *,
        mode: Mode = "buffer",
        regenerate: Generator | bool = True,
        passages: Selector = to_passages,
        sealed: bool = False,
    ) -> None:
        self._checks = Checks(guard=guard, mode=mode, kind="query")
        super().__init__(engine.callback_manager)
        self.inner = engine
        self.guard = guard
        self._regenerate = regenerate
        self._passages = passages
        self._sealed = sealed

    def retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """The inner engine's nodes."""
        return self.inner.retrieve(query_bundle)

    def synthesize(
        self,
        query_bundle: QueryBundle,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
    ) -> RESPONSE_TYPE:
        """The inner engine's answer from these nodes, checked."""
        place = Place()
        with place.answering():
            response = self.inner.synthesize(query_bundle, nodes, additional_source_nodes)
            return self._checked(response, query_bundle, place)

    async def asynthesize(
        self,
        query_bundle: QueryBundle,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
    ) -> RESPONSE_TYPE:
        """The same without blocking the event loop."""
        place = Place()
        with place.answering():
            response = await self.inner.asynthesize(query_bundle, nodes, additional_source_nodes)
            return await self._achecked(response, query_bundle, place)

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        place = Place()
        with place.answering():
            return self._checked(self.inner.query(query_bundle), query_bundle, place)

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        place = Place()
        with place.answering():
            return await self._achecked(await self.inner.aquery(query_bundle), query_bundle, place)

    def _checked(self, response: RESPONSE_TYPE, asked: QueryBundle, place: Place) -> RESPONSE_TYPE:
        if isinstance(response, AsyncStreamingResponse):
            raise UsageError("the engine answered with an AsyncStreamingResponse. Use `await engine.aquery(...)`.")
        again = Again(self.inner, asked, list(response.source_nodes))
        generator = self._generator(again.generate)
        passages = self._passages(response.source_nodes)
        if isinstance(response, StreamingResponse) and self._checks.mode != "buffer":
            metadata = self._stream_metadata(response)
            finish = _Finish(metadata, self._sealed)
            texts = self._checks.stream(_deltas(response), passages, asked.query_str, generator, finish, place)
            return StreamingResponse(texts, response.source_nodes, metadata)
        guarded = self._checks.run(text_of(response), passages, asked.query_str, generator, place)
        return self._whole(response, guarded, again)

    async def _achecked(self, response: RESPONSE_TYPE, asked: QueryBundle, place: Place) -> RESPONSE_TYPE:
        if isinstance(response, StreamingResponse) and self._checks.mode != "buffer":
            return self._checked(response, asked, place)  # an engine that streams sync text from `aquery`
        again = Again(self.inner, asked, list(response.source_nodes))
        generator = self._generator(again.agenerate)
        passages = self._passages(response.source_nodes)
        if isinstance(response, AsyncStreamingResponse) and self._checks.mode != "buffer":
            metadata = self._stream_metadata(response)
            finish = _Finish(metadata, self._sealed)
            # Not `async_response_gen()`: closing that does not close the model's own generator.
            deltas = _aone(response.response_txt) if response.response_txt is not None else response.response_gen
            texts = self._checks.astream(deltas, passages, asked.query_str, generator, finish, place)
            return AsyncStreamingResponse(texts, response.source_nodes, metadata)
        guarded = await self._checks.arun(await atext_of(response), passages, asked.query_str, generator, place)
        return self._whole(response, guarded, again)

    def _whole(self, response: RESPONSE_TYPE, guarded: GuardedAnswer, again: Again) -> RESPONSE_TYPE:
        """The response to return for an answer that was checked before anything left."""
        if not isinstance(response, (StreamingResponse, AsyncStreamingResponse)):
            return delivered(again.of(guarded.text, response), guarded, sealed=self._sealed)
        metadata = self._stream_metadata(response)
        metadata[KEY] = told(guarded, sealed=self._sealed)
        if isinstance(response, StreamingResponse):
            return StreamingResponse(_one(guarded.text), response.source_nodes, metadata)
        return AsyncStreamingResponse(_aone(guarded.text), response.source_nodes, metadata)

    def _stream_metadata(self, response: StreamingResponse | AsyncStreamingResponse) -> dict[str, Any]:
        return {**(response.metadata or {}), KEY: None, MODE_KEY: self._checks.mode}

    def _generator(self, own: Generator) -> Generator | None:
        if isinstance(self._regenerate, bool):
            return own if self._regenerate and synthesizes(self.inner) else None
        return self._regenerate

    def _get_prompt_modules(self) -> PromptMixinType:
        return {"inner": self.inner}


@dataclass(frozen=True, slots=True)
class _Finish:
    """Puts the verdict into the metadata of a stream."""

    metadata: dict[str, Any]
    sealed: bool

    def __call__(self, guarded: GuardedAnswer) -> None:
        self.metadata[KEY] = told(guarded, sealed=self.sealed)


def _deltas(response: StreamingResponse) -> Iterator[str]:
    """Text of a stream, also of one that was read before."""
    return iter([response.response_txt]) if response.response_txt is not None else response.response_gen


def _one(text: str) -> TokenGen:
    yield text


async def _aone(text: str) -> TokenAsyncGen:
    yield text
