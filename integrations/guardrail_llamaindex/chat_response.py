"""Chat responses that hold what was delivered, and nothing else that the model said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.base.response.schema import Response
from llama_index.core.chat_engine.types import AGENT_CHAT_RESPONSE_TYPE, StreamingAgentChatResponse
from llama_index.core.schema import NodeWithScore
from llama_index.core.tools import ToolOutput

from guardrail.check.drivers import Events
from guardrail.wrap.kinds import END, Items, Streams
from guardrail_llamaindex.answers import RESPONSES


@dataclass
class GuardedChatStream(StreamingAgentChatResponse):
    """A streaming chat response with metadata: ``guardrail`` is None until the stream has ended."""

    metadata: dict[str, Any] = field(default_factory=dict)

    def set_delivery(self, text: str) -> None:
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


def nodes_of(response: AGENT_CHAT_RESPONSE_TYPE) -> list[NodeWithScore]:
    """Source nodes of a chat response, also those that only its tools' outputs have."""
    if response.source_nodes:
        return list(response.source_nodes)
    outputs = [source.raw_output for source in response.sources]
    return [node for output in outputs if isinstance(output, RESPONSES) for node in output.source_nodes]


def chat_responses(streams: Streams, texts: Items) -> Items:
    """Pieces of text as a model would stream them."""
    return streams.given(_responses(streams, texts), texts)


def _responses(streams: Streams, texts: Items) -> Events[ChatResponse]:
    said = ""
    while (delta := (yield streams.next(texts))) is not END:
        said += delta
        yield ChatResponse(message=ChatMessage(role=MessageRole.ASSISTANT, content=said), delta=delta)
