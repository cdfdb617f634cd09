"""What the tools of an agent returned: what of it was retrieved, and what a query engine generated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from llama_index.core.base.response.schema import RESPONSE_TYPE, AsyncStreamingResponse, Response, StreamingResponse
from llama_index.core.instrumentation.events.query import QueryEndEvent
from llama_index.core.schema import BaseNode, NodeWithScore, TextNode
from llama_index.core.tools import ToolOutput
from llama_index_instrumentation.base import BaseEvent
from llama_index_instrumentation.event_handlers import BaseEventHandler

from guardrail_llamaindex.answers import KEY, RESPONSES
from guardrail_llamaindex.spans import listen
from guardrail_llamaindex.sub_answers import is_sub_answer

HANDOFF = "handoff"
"""The tool by which agents of a workflow take turns; its output is the model's own reason."""

_HEARD: ContextVar[list[RESPONSE_TYPE] | None] = ContextVar("guardrail_queries", default=None)


class _QueryListener(BaseEventHandler):
    """Hears what query engines answer inside the tools of guarded agents."""

    @classmethod
    def class_name(cls) -> str:
        """Class name."""
        return "GuardrailQueryListener"

    def handle(self, event: BaseEvent, **_: Any) -> None:
        """Keep an answer."""
        if isinstance(event, QueryEndEvent) and (heard := _HEARD.get()) is not None:
            heard.append(event.response)


@contextmanager
def queries_heard(heard: list[RESPONSE_TYPE]) -> Iterator[None]:
    """What query engines answer to whatever is begun inside is put into a list, also later on."""
    listen(_QueryListener)
    token = _HEARD.set(heard)
    try:
        yield
    finally:
        _HEARD.reset(token)


def retrieved(outputs: Iterable[ToolOutput], heard: Sequence[RESPONSE_TYPE]) -> list[NodeWithScore]:
    """Evidence for an agent's answer: nodes that its tools retrieved, each once, and texts that they returned.

    Args:
        outputs: Of its tools. What a query engine answered counts with its source nodes only. What failed counts not.
        heard: Answers of query engines, which a tool may have returned as its text.
    """
    nodes: dict[str, NodeWithScore] = {}
    for number, output in enumerate(outputs, 1):
        if not output.is_error and output.tool_name != HANDOFF:
            for scored in _nodes_of(output, heard, number):
                if not is_sub_answer(scored):
                    nodes.setdefault(scored.node.node_id, scored)
    return list(nodes.values())


def without_unchecked(output: ToolOutput, heard: Sequence[RESPONSE_TYPE]) -> ToolOutput:
    """The output without text that a query engine generated and nobody checked; its source nodes stay."""
    answers = _answers_in(output, heard)
    if all(KEY in (answer.metadata or {}) for answer in answers):
        return output
    nodes = [scored for answer in answers for scored in answer.source_nodes if not is_sub_answer(scored)]
    return ToolOutput(tool_name=output.tool_name, raw_input=output.raw_input, raw_output=Response("", nodes))


def _nodes_of(output: ToolOutput, heard: Sequence[RESPONSE_TYPE], number: int) -> list[NodeWithScore]:
    if _has_nodes(output):
        raw = output.raw_output
        return [each if isinstance(each, NodeWithScore) else NodeWithScore(node=each) for each in raw]
    if answers := _answers_in(output, heard):
        return [scored for answer in answers for scored in answer.source_nodes]
    text, name = output.content, output.tool_name
    return [NodeWithScore(node=TextNode(id_=f"{name}-{number}", text=text, metadata={"title": name}))] if text else []


def _has_nodes(output: ToolOutput) -> bool:
    """Whether it is what a retriever returned."""
    raw = output.raw_output
    return isinstance(raw, (list, tuple)) and all(isinstance(each, (NodeWithScore, BaseNode)) for each in raw)


def _answers_in(output: ToolOutput, heard: Sequence[RESPONSE_TYPE]) -> list[RESPONSE_TYPE]:
    """The answers of query engines that an output is, or has in its text."""
    if isinstance(output.raw_output, RESPONSES):
        return [output.raw_output]
    if _has_nodes(output):
        return []
    return [answer for answer in heard if (said := _said(answer)) and said in output.content]


def _said(answer: RESPONSE_TYPE) -> str:
    """What was read of an answer; a stream is left as it is."""
    if isinstance(answer, (StreamingResponse, AsyncStreamingResponse)):
        return (answer.response_txt or "").strip()
    return str(answer).strip() if answer.response else ""
