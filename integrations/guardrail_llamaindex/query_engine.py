"""A LlamaIndex query engine around another: its answer is checked against its source nodes before it is returned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import RESPONSE_TYPE, AsyncStreamingResponse, Response, StreamingResponse
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.schema import NodeWithScore, QueryBundle

from guardrail import Guard, GuardedAnswer, UsageError
from guardrail.check.drivers import Program, Work, arun, either, run
from guardrail.repair.generators import Generator
from guardrail.streaming import Mode
from guardrail.wrap.kinds import HideFrom, Items, Streams, read_hide_from, same
from guardrail.wrap.time_limit import NoAnswerInTime, read_seconds, within
from guardrail_llamaindex.answers import (
    KEY,
    MODE_KEY,
    Selector,
    atext_of,
    delivered,
    text_of,
    to_passages,
    verdict,
)
from guardrail_llamaindex.checks import Checks
from guardrail_llamaindex.regeneration import Regeneration, cannot_answer_again, regenerators, synthesizes
from guardrail_llamaindex.spans import Place
from guardrail_llamaindex.sub_answers import refuse_unmarked
from guardrail_llamaindex.wrapped import check_kind

_STREAMS = (StreamingResponse, AsyncStreamingResponse)


class GuardedQueryEngine(BaseQueryEngine):
    """Answers as the inner engine does; ``response.metadata["guardrail"]`` is the GuardedRecord.

    Source nodes are kept. A streaming answer stays one, with ``guardrail_mode`` in its metadata. In buffer mode it is
    returned once it is checked; in the other modes ``guardrail`` is None until the stream has ended. No state of a call
    lives here, so one object serves concurrent queries.

    Args:
        engine: The engine that answers.
        guard: Checks, decides and repairs.
        mode: When the text of a stream leaves: ``buffer`` (all of it is checked), ``sentence`` (its sentence is), or
            ``observe`` (at once, unchecked).
        regenerate: Where the policy asks for a new answer: None lets the inner engine synthesize again from the same
            nodes, if it can; True the same, and an error where it never can; False never asks; a callable is asked
            with the Feedback.
        passages: Turns source nodes into the passages to check against. ``to_passages`` leaves out the sub-answers
            that engines of LlamaIndex generate; give your own where another engine's source nodes hold generated text.
        hide_from: ``"all"``: the verdict in the metadata holds no words that were withheld. Streams never show them.
        answer_timeout: Seconds that the engine may take to retrieve and answer, or to begin its stream; then the
            policy's refusal is delivered. None = as long as it takes: the policy's ``deadline`` is the check's.
        answer_field: Where the engine answers with an object (``output_cls``), the field that holds the answer; the
            others are left alone. None = ``answer``, ``response`` or the like, else the longest free text by schema.

    Raises:
        UsageError: the engine is no query engine, the guard no Guard, an option is unknown, the engine cannot answer
            again, or generated answers stand unmarked among its source nodes.
    """

    def __init__(
        self,
        engine: BaseQueryEngine,
        guard: Guard,
        *,
        mode: Mode = "buffer",
        regenerate: Generator | bool | None = None,
        passages: Selector = to_passages,
        hide_from: HideFrom = "streams",
        answer_timeout: float | None = None,
        answer_field: str | None = None,
    ) -> None:
        check_kind(engine, BaseQueryEngine, "a query engine", "GuardedQueryEngine(index.as_query_engine(), guard)")
        self._checks = Checks(guard=guard, mode=mode, kind="query")
        if passages is to_passages:
            refuse_unmarked(engine)
        if regenerate is True and not synthesizes(engine):
            raise cannot_answer_again(engine)
        super().__init__(engine.callback_manager)
        self.inner = engine
        self.guard = guard
        self._regenerate = regenerate
        self._passages = passages
        self._hide_from = read_hide_from(hide_from, ("streams", "all"))
        self._answer_timeout = read_seconds(answer_timeout)
        self._field = answer_field

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
        work = same(self.inner.synthesize, query_bundle, nodes, additional_source_nodes)
        return run(self._answered(query_bundle, work, asynchronous=False))

    async def asynthesize(
        self,
        query_bundle: QueryBundle,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
    ) -> RESPONSE_TYPE:
        """The same without blocking the event loop."""
        work = same(self.inner.asynthesize, query_bundle, nodes, additional_source_nodes)
        return await arun(self._answered(query_bundle, work, asynchronous=True))

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        return run(self._answered(query_bundle, same(self.inner.query, query_bundle), asynchronous=False))

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        return await arun(self._answered(query_bundle, same(self.inner.aquery, query_bundle), asynchronous=True))

    def _answered(
        self, asked: QueryBundle, answer: Work[RESPONSE_TYPE], *, asynchronous: bool
    ) -> Program[RESPONSE_TYPE]:
        place = Place()
        with place.answering():
            try:
                response: RESPONSE_TYPE = yield within(self._answer_timeout, answer)
            except NoAnswerInTime as late:
                guarded = self.guard.unanswered(str(late), question=asked.query_str)
                return Response(guarded.text, [], {KEY: verdict(guarded, self._hide_from)})
            if isinstance(response, AsyncStreamingResponse) and not asynchronous:
                raise UsageError("the engine answered with an AsyncStreamingResponse. Use `await engine.aquery(...)`.")
            regeneration = Regeneration(self.inner, asked.query_str, list(response.source_nodes), self._field)
            who = regenerators(self._regenerate, regeneration.answered if synthesizes(self.inner) else None)
            passages = self._passages(response.source_nodes)
            if isinstance(response, _STREAMS) and self._checks.mode != "buffer":
                streams, metadata = _streams_of(response), self._stream_metadata(response)

                def finish(guarded: GuardedAnswer) -> Program[None]:
                    metadata[KEY] = verdict(guarded, self._hide_from)
                    yield from ()

                texts = self._checks.stream(streams, _deltas(response), passages, asked.query_str, who, finish, place)
                return _stream_of(response, texts, metadata)
            text = yield from either(text_of, atext_of, response, self._field)
            guarded = yield from self._checks.run(text, passages, asked.query_str, who, place)
            if not isinstance(response, _STREAMS):
                answered = regeneration.of(guarded.text, response)
                return delivered(answered, guarded, self._hide_from, self._field)
            metadata = {**self._stream_metadata(response), KEY: verdict(guarded, self._hide_from)}
            return _stream_of(response, _one(response, guarded.text), metadata)

    def _stream_metadata(self, response: StreamingResponse | AsyncStreamingResponse) -> dict[str, Any]:
        return {**(response.metadata or {}), KEY: None, MODE_KEY: self._checks.mode}

    def _get_prompt_modules(self) -> PromptMixinType:
        return {"inner": self.inner}


def _stream_of(
    response: StreamingResponse | AsyncStreamingResponse, texts: Items, metadata: dict[str, Any]
) -> StreamingResponse | AsyncStreamingResponse:
    kind = AsyncStreamingResponse if isinstance(response, AsyncStreamingResponse) else StreamingResponse
    return kind(texts, response.source_nodes, metadata)


def _streams_of(response: StreamingResponse | AsyncStreamingResponse) -> Streams:
    """Of the response's own kind: an engine may stream sync text from ``aquery``."""
    return Streams(isinstance(response, AsyncStreamingResponse))


def _deltas(response: StreamingResponse | AsyncStreamingResponse) -> Items:
    """Text of a stream, also of one that was read before.

    Not its ``async_response_gen()``: closing that does not close the model's own generator.
    """
    return response.response_gen if response.response_txt is None else _one(response, response.response_txt)


def _one(response: StreamingResponse | AsyncStreamingResponse, text: str) -> Items:
    return _streams_of(response).given(each for each in (text,))
