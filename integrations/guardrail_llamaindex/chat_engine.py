"""A LlamaIndex chat engine around another: answers are checked before they are returned and before they are kept."""

from __future__ import annotations

import asyncio
from functools import partial

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine.types import (
    AGENT_CHAT_RESPONSE_TYPE,
    AgentChatResponse,
    BaseChatEngine,
    StreamingAgentChatResponse,
)
from llama_index.core.memory import BaseMemory
from llama_index.core.types import Thread

from guardrail import Guard, GuardedAnswer, UsageError
from guardrail.check.drivers import Program, Work, arun, run
from guardrail.repair.generators import Generator
from guardrail.streaming import Mode
from guardrail.wrap.kinds import HideFrom, Items, Streams, read_hide_from
from guardrail.wrap.time_limit import NoAnswerInTime, read_seconds, within
from guardrail_llamaindex.answers import KEY, MODE_KEY, Selector, to_passages, verdict
from guardrail_llamaindex.chat_memory import StagedMemory
from guardrail_llamaindex.chat_response import GuardedChatStream, chat_responses, nodes_of, sources_of
from guardrail_llamaindex.chat_turn import Turn
from guardrail_llamaindex.checks import Checks
from guardrail_llamaindex.regeneration import cannot_answer_again, regenerators, synthesizes
from guardrail_llamaindex.spans import Place
from guardrail_llamaindex.sub_answers import refuse_unmarked
from guardrail_llamaindex.wrapped import check_kind


class GuardedChatEngine(BaseChatEngine):
    """Chats as the inner engine does; ``response.metadata["guardrail"]`` is the GuardedRecord.

    The chat history never sees an answer before it is checked, and keeps the text that was delivered: each turn runs
    on a copy of the inner engine whose memory holds the answer back. The conversation itself is the inner engine's.

    Args:
        engine: The engine that answers.
        guard: Checks, decides and repairs.
        mode: When the text of a stream leaves; see GuardedQueryEngine.
        regenerate: Where the policy asks for a new answer: None asks the inner engine again on the same nodes, if
            it can; True the same, and an error where it never can; False never asks; a callable is asked with the
            Feedback.
        passages: Turns source nodes into the passages to check against.
        memory: Attribute of the inner engine that holds its memory; None = it keeps no history, or you keep it
            yourself from what is delivered.
        hide_from: ``"all"``: the verdict in the metadata holds no words that were withheld. Streams never show them.
        answer_timeout: Seconds that the engine may take to retrieve and answer; then the policy's refusal is delivered
            and the history holds the question at most. Of a stream, to begin it: then NoAnswerInTime is raised. None =
            as long as it takes.

    Raises:
        UsageError: the engine is no chat engine, the guard no Guard, an option is unknown, the engine has no such
            memory or cannot answer again, or generated answers stand unmarked among its source nodes.
    """

    def __init__(
        self,
        engine: BaseChatEngine,
        guard: Guard,
        *,
        mode: Mode = "buffer",
        regenerate: Generator | bool | None = None,
        passages: Selector = to_passages,
        memory: str | None = "_memory",
        hide_from: HideFrom = "streams",
        answer_timeout: float | None = None,
    ) -> None:
        check_kind(engine, BaseChatEngine, "a chat engine", "GuardedChatEngine(index.as_chat_engine(), guard)")
        self._checks = Checks(guard=guard, mode=mode, kind="chat")
        if memory is not None and not isinstance(getattr(engine, memory, None), BaseMemory):
            raise UsageError(
                f"{type(engine).__name__} has no memory in {memory!r}, so blocked answers could stay in its history. "
                "Name the attribute that holds its BaseMemory, or pass memory=None if it keeps no history."
            )
        if passages is to_passages:
            refuse_unmarked(engine)
        queries = getattr(engine, "_query_engine", None)
        if regenerate is True and (memory is None or (queries is not None and not synthesizes(queries))):
            raise cannot_answer_again(engine)
        self.inner = engine
        self.guard = guard
        self._regenerate = regenerate
        self._passages = passages
        self._memory_attribute = memory
        self._hide_from = read_hide_from(hide_from, ("streams", "all"))
        self._answer_timeout = read_seconds(answer_timeout)

    def chat(self, message: str, chat_history: list[ChatMessage] | None = None) -> AgentChatResponse:
        """Answer a message; what is returned and kept is checked."""
        return run(self._answered(message, chat_history))

    async def achat(self, message: str, chat_history: list[ChatMessage] | None = None) -> AgentChatResponse:
        """The same without blocking the event loop."""
        return await arun(self._answered(message, chat_history))

    def stream_chat(self, message: str, chat_history: list[ChatMessage] | None = None) -> StreamingAgentChatResponse:
        """Answer a message as a stream, in the engine's mode; it is checked in a thread of its own."""
        streams = Streams(asynchronous=False)
        stream, texts, memory = run(self._streamed(message, chat_history, streams))
        stream.chat_stream = chat_responses(streams, texts)
        thread = Thread(target=stream.write_response_to_history, args=(memory,))
        stream.write_response_to_history_thread = thread
        thread.start()
        return stream

    async def astream_chat(
        self, message: str, chat_history: list[ChatMessage] | None = None
    ) -> StreamingAgentChatResponse:
        """The same in a task of the event loop."""
        streams = Streams(asynchronous=True)
        stream, texts, memory = await arun(self._streamed(message, chat_history, streams))
        stream.achat_stream = chat_responses(streams, texts)
        stream.awrite_response_to_history_task = asyncio.create_task(stream.awrite_response_to_history(memory))
        return stream

    def reset(self) -> None:
        """Forget the conversation."""
        self.inner.reset()

    @property
    def chat_history(self) -> list[ChatMessage]:
        """The conversation, as delivered."""
        return self.inner.chat_history

    def _answered(self, message: str, history: list[ChatMessage] | None) -> Program[AgentChatResponse]:
        turn, place = Turn.of(self.inner, message, self._memory_attribute), Place()
        engine = turn.copy()
        with place.answering():
            work: Work[AGENT_CHAT_RESPONSE_TYPE] = Work(
                partial(engine.chat, message, history), partial(engine.achat, message, history)
            )
            try:
                response = yield within(self._answer_timeout, work)
            except NoAnswerInTime as late:
                turn.abandon()
                guarded = self.guard.unanswered(str(late), question=message)
                return AgentChatResponse(response=guarded.text, metadata={KEY: verdict(guarded, self._hide_from)})
        nodes = nodes_of(response)
        who = regenerators(self._regenerate, turn.regeneration(nodes))
        guarded = yield from self._checks.run(str(response), self._passages(nodes), message, who, place)
        yield from turn.delivering(guarded.text)
        return AgentChatResponse(
            response=guarded.text,
            sources=sources_of(response.sources, str(response), guarded.text),
            source_nodes=nodes,
            is_dummy_stream=getattr(response, "is_dummy_stream", False),
            metadata={**(getattr(response, "metadata", None) or {}), KEY: verdict(guarded, self._hide_from)},
        )

    def _streamed(
        self, message: str, history: list[ChatMessage] | None, streams: Streams
    ) -> Program[tuple[GuardedChatStream, Items, StagedMemory]]:
        """The response, its checked text, and what it is to write that to: the turn itself tells the real memory."""
        turn, place = Turn.of(self.inner, message, self._memory_attribute), Place()
        engine = turn.copy()
        with place.answering():
            work: Work[StreamingAgentChatResponse] = Work(
                partial(engine.stream_chat, message, history), partial(engine.astream_chat, message, history)
            )
            try:
                inner = yield within(self._answer_timeout, work)
            except NoAnswerInTime:
                turn.abandon()
                raise
        nodes = nodes_of(inner)
        stream = GuardedChatStream(
            sources=sources_of(inner.sources, None, ""),
            source_nodes=nodes,
            metadata={KEY: None, MODE_KEY: self._checks.mode},
        )

        def finish(guarded: GuardedAnswer) -> Program[None]:
            yield from turn.delivering(guarded.text)
            stream.set_delivery(guarded.text)
            stream.metadata[KEY] = verdict(guarded, self._hide_from)

        who = regenerators(self._regenerate, turn.regeneration(nodes))
        deltas = inner.async_response_gen() if streams.asynchronous else inner.response_gen
        texts = self._checks.stream(streams, deltas, self._passages(nodes), message, who, finish, place)
        return stream, texts, StagedMemory.over(turn.staged or StagedMemory(), scratch=True)
