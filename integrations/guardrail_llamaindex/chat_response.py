"""Chat responses that hold what was delivered, and nothing else that the model said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    ChatResponseGen,
    MessageRole,
)
from llama_index.core.base.response.schema import Response
from llama_index.core.chat_engine.types import StreamingAgentChatResponse
from llama_index.core.tools import ToolOutput
from llama_index.core.types import TokenAsyncGen, TokenGen

from guardrail_llamaindex.answers import RESPONSES


@dataclass
class GuardedChatStream(StreamingAgentChatResponse):
    """A streaming chat response with metadata: ``guardrail`` is None until the stream has ended."""

    metadata: dict[str, Any] = field(default_factory=dict)

    def told(self, text: str) -> None:
        """Say what was delivered where a tool's output is the answer itself."""
        for source in self.sources:
            if isinstance(source.raw_output, Response):
                source.raw_output.response = text


def sources_of(sources: Sequence[ToolOutput], answer: str | None, text: str) -> list[ToolOutput]:
    """Outputs of tools, with the delivered text in those that are the answer itself (``answer``, if it is known)."""
    return [_source(source, answer, text) for source in sources]


def _source(source: ToolOutput, answer: str | None, text: str) -> ToolOutput:
    raw = source.raw_output
    if isinstance(raw, RESPONSES):
        raw = Response(text, list(raw.source_nodes), raw.metadata)
    elif not answer or source.content.strip() != answer.strip():
        return source
    else:
        raw = text  # a tool's own form of the answer would be the answer again
    return ToolOutput(content=text, tool_name=source.tool_name, raw_input=source.raw_input, raw_output=raw)


def chat_responses(texts: TokenGen) -> ChatResponseGen:
    """Pieces of text as a model would stream them."""
    said = ""
    for text in texts:
        said += text
        yield _response(said, text)


async def achat_responses(texts: TokenAsyncGen) -> ChatResponseAsyncGen:
    """The same for pieces that are awaited."""
    said = ""
    async for text in texts:
        said += text
        yield _response(said, text)


def _response(said: str, delta: str) -> ChatResponse:
    return ChatResponse(message=ChatMessage(role=MessageRole.ASSISTANT, content=said), delta=delta)
