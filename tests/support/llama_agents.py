"""Agents with a scripted model that calls tools: no key, no network, the same words every time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("llama_index.core")
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata, MessageRole
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.tools import ToolSelection
from pydantic import Field


class ScriptedLLM(FunctionCallingLLM):
    """Calls tools first, then answers.

    Attributes:
        calls: Names of the tools that it calls for a user's message, at once, with an ``input``.
        answers: By a substring of what was said since the user's message, an answer; the first that fits counts.
        prompts: What was said in each call so far, a message a line.
    """

    calls: list[str] = Field(default_factory=list)
    answers: dict[str, str] = Field(default_factory=dict)
    prompts: list[str] = Field(default_factory=list)

    @property
    def metadata(self) -> LLMMetadata:
        """What agents ask for."""
        return LLMMetadata(model_name="scripted", is_chat_model=True, is_function_calling_model=True)

    def chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        """The answer, or the calls."""
        return list(self._replies(messages))[-1]

    async def achat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        """The same."""
        return self.chat(messages)

    def stream_chat(self, messages: Sequence[ChatMessage], **_: Any) -> Any:
        """The answer, a word at a time."""
        return self._replies(messages)

    async def astream_chat(self, messages: Sequence[ChatMessage], **_: Any) -> Any:
        """The same."""

        async def replies() -> Any:
            for reply in self._replies(messages):
                yield reply

        return replies()

    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
        """Not asked by agents."""
        raise NotImplementedError

    acomplete = stream_complete = astream_complete = complete

    def _prepare_chat_with_tools(
        self,
        tools: Any,
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        **_: Any,
    ) -> dict[str, Any]:
        return {"messages": chat_history or []}

    def get_tool_calls_from_response(self, response: ChatResponse, **_: Any) -> list[ToolSelection]:
        """The calls."""
        calls = response.message.additional_kwargs.get("tool_calls", [])
        return [
            ToolSelection(tool_id=f"{n}", tool_name=name, tool_kwargs=given) for n, (name, given) in enumerate(calls)
        ]

    def _replies(self, messages: Sequence[ChatMessage]) -> Any:
        self.prompts.append("\n".join(f"{m.role.value}: {m.content}" for m in messages))
        last = max(n for n, m in enumerate(messages) if m.role is MessageRole.USER)
        said = [m.content or "" for m in messages[last:]]
        if self.calls and len(said) == 1:
            calls = [(name, {"input": "the dam"}) for name in self.calls]
            yield _reply("", "", tool_calls=calls)
            return
        for key, answer in self.answers.items():
            if key in "\n".join(said):
                text = ""
                for word in re.findall(r"\s*\S+|\s+$", answer):
                    text += word
                    yield _reply(text, word)
                return
        raise LookupError("no scripted answer fits these messages")


def _reply(text: str, delta: str, **more: Any) -> ChatResponse:
    message = ChatMessage(role=MessageRole.ASSISTANT, content=text, additional_kwargs=more)
    return ChatResponse(message=message, delta=delta)
