"""A LlamaIndex chat engine around another: answers are checked before they are returned and before they are kept."""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine.types import (
    AGENT_CHAT_RESPONSE_TYPE,
    AgentChatResponse,
    BaseChatEngine,
    StreamingAgentChatResponse,
)
from llama_index.core.memory import BaseMemory
from llama_index.core.types import Thread, TokenAsyncGen, TokenGen

from guardrail import Guard, GuardedAnswer, UsageError
from guardrail.repair.generators import Generator
from guardrail.streaming import Mode
from guardrail_llamaindex.chat_memory import StagedMemory
from guardrail_llamaindex.chat_response import GuardedChatStream, achat_responses, chat_responses, sources_of
from guardrail_llamaindex.chat_turn import Turn, nodes_of
from guardrail_llamaindex.checks import Checks
from guardrail_llamaindex.passages import Selector, to_passages
from guardrail_llamaindex.spans import Place
from guardrail_llamaindex.verdict import KEY, MODE_KEY, told


class GuardedChatEngine(BaseChatEngine):
    """Chats as the inner engine does; ``response.metadata["guardrail"]`` holds the GuardedAnswer.

    The chat history never sees an answer before it is checked, and keeps the text that was delivered: each turn runs
    on a copy of the inner engine whose memory holds the answer back. The conversation itself is the inner engine's.

    Args:
        engine: The engine that answers.
        guard: Checks, decides and repairs.
        mode: When the text of a stream leaves; see GuardedQueryEngine.
        regenerate: Where the policy asks for a new answer: True asks the inner engine again on the same nodes, if
            it can; False never asks; a callable is asked with the Feedback.
        passages: Turns source nodes into the passages to check against.
        memory: Attribute of the inner engine that holds its memory; None = it keeps no history, or you keep it
            yourself from what is delivered.
        sealed: Whether the verdict in the metadata must not hold words that were withheld.

    Raises:
        UsageError: the guard is no Guard, the mode is unknown, or the engine has no such memory.
    """

    def __init__(
        self,
        engine: BaseChatEngine,
        guard: Guard,
        *,
        mode: Mode = "buffer",
        regenerate: Generator | bool = True,
        passages: Selector = to_passages,
        memory: str | None = "_memory",
        sealed: bool = False,
    ) -> None:
        self._checks = Checks(guard=guard, mode=mode, kind="chat")
        if memory is not None and not isinstance(getattr(engine, memory, None), BaseMemory):
            raise UsageError(
                f"{type(engine).__name__} has no memory in {memory!r}, so blocked answers could stay in its history. "
                "Name the attribute that holds its BaseMemory, or pass memory=None if it keeps no history."
            )
        self.inner = engine
        self.guard = guard
        self._regenerate = regenerate
        self._passages = passages
        self._memory_attribute = memory
        self._sealed = sealed

    def chat(self, message: str, chat_history: list[ChatMessage] | None = None) -> AgentChatResponse:
        """Answer a message; what is returned and kept is checked."""
        turn, place = self._turn(message), Place()
        with place.answering():
            response = turn.copy().chat(message, chat_history)
        nodes = nodes_of(response)
        again = turn.again(nodes)
        generator = self._generator(None if again is None else again.generate)
        guarded = self._checks.run(_answer(response), self._passages(nodes), message, generator, place)
        if turn.staged is not None:
            turn.staged.deliver(guarded.text)
        return self._response(response, guarded)

    async def achat(self, message: str, chat_history: list[ChatMessage] | None = None) -> AgentChatResponse:
        """The same without blocking the event loop."""
        turn, place = self._turn(message), Place()
        with place.answering():
            response = await turn.copy().achat(message, chat_history)
        nodes = nodes_of(response)
        again = turn.again(nodes)
        generator = self._generator(None if again is None else again.agenerate)
        guarded = await self._checks.arun(_answer(response), self._passages(nodes), message, generator, place)
        if turn.staged is not None:
            await turn.staged.adeliver(guarded.text)
        return self._response(response, guarded)

    def stream_chat(self, message: str, chat_history: list[ChatMessage] | None = None) -> StreamingAgentChatResponse:
        """Answer a message as a stream, in the engine's mode; it is checked in a thread of its own."""
        turn, place = self._turn(message), Place()
        with place.answering():
            inner = turn.copy().stream_chat(message, chat_history)
        stream = self._stream(inner)
        again = turn.again(stream.source_nodes)
        generator = self._generator(None if again is None else again.generate)

        def texts() -> TokenGen:
            found: list[GuardedAnswer] = []
            passages = self._passages(stream.source_nodes)
            yield from self._checks.stream(inner.response_gen, passages, message, generator, found.append, place)
            if turn.staged is not None:
                turn.staged.deliver(found[0].text)
            self._finish(stream, found[0])

        stream.chat_stream = chat_responses(texts())
        thread = Thread(target=stream.write_response_to_history, args=(_nowhere(turn),))
        stream.write_response_to_history_thread = thread
        thread.start()
        return stream

    async def astream_chat(
        self, message: str, chat_history: list[ChatMessage] | None = None
    ) -> StreamingAgentChatResponse:
        """The same in a task of the event loop."""
        turn, place = self._turn(message), Place()
        with place.answering():
            inner = await turn.copy().astream_chat(message, chat_history)
        stream = self._stream(inner)
        again = turn.again(stream.source_nodes)
        generator = self._generator(None if again is None else again.agenerate)

        async def texts() -> TokenAsyncGen:
            found: list[GuardedAnswer] = []
            passages = self._passages(stream.source_nodes)
            async for text in self._checks.astream(
                inner.async_response_gen(), passages, message, generator, found.append, place
            ):
                yield text
            if turn.staged is not None:
                await turn.staged.adeliver(found[0].text)
            self._finish(stream, found[0])

        stream.achat_stream = achat_responses(texts())
        stream.awrite_response_to_history_task = asyncio.create_task(stream.awrite_response_to_history(_nowhere(turn)))
        return stream

    def reset(self) -> None:
        """Forget the conversation."""
        self.inner.reset()

    @property
    def chat_history(self) -> list[ChatMessage]:
        """The conversation, as delivered."""
        return self.inner.chat_history

    def _turn(self, message: str) -> Turn:
        return Turn.of(self.inner, message, self._memory_attribute)

    def _generator(self, own: Generator | None) -> Generator | None:
        if isinstance(self._regenerate, bool):
            return own if self._regenerate else None
        return self._regenerate

    def _response(self, response: AGENT_CHAT_RESPONSE_TYPE, guarded: GuardedAnswer) -> AgentChatResponse:
        metadata: dict[str, Any] = getattr(response, "metadata", None) or {}
        return AgentChatResponse(
            response=guarded.text,
            sources=sources_of(response.sources, _answer(response), guarded.text),
            source_nodes=nodes_of(response),
            is_dummy_stream=getattr(response, "is_dummy_stream", False),
            metadata={**metadata, KEY: told(guarded, sealed=self._sealed)},
        )

    def _stream(self, inner: StreamingAgentChatResponse) -> GuardedChatStream:
        return GuardedChatStream(
            sources=sources_of(inner.sources, None, ""),
            source_nodes=nodes_of(inner),
            metadata={KEY: None, MODE_KEY: self._checks.mode},
        )

    def _finish(self, stream: GuardedChatStream, guarded: GuardedAnswer) -> None:
        stream.told(guarded.text)
        stream.metadata[KEY] = told(guarded, sealed=self._sealed)


def _answer(response: AGENT_CHAT_RESPONSE_TYPE) -> str:
    return str(response)


def _nowhere(turn: Turn) -> StagedMemory:
    """What a stream writes its text to: the turn itself lets the answer into the memory."""
    memory = turn.staged if turn.staged is not None else StagedMemory()
    return StagedMemory.over(memory, scratch=True)
