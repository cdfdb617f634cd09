"""Answers that an engine generates on its way to its own, and puts among its source nodes: they are no evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from llama_index.core.agent.workflow import AgentWorkflow, BaseWorkflowAgent, CodeActAgent
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.query_engine import ComposableGraphQueryEngine
from llama_index.core.schema import NodeWithScore
from llama_index.core.tools import BaseTool

from guardrail import UsageError

_FORMS = re.compile(
    r"Sub question: .*\nResponse: "  # SubQuestionQueryEngine
    r"|\nQuestion: .*\nAnswer: "  # MultiStepQueryEngine
    r"|Query: .*\nResponse: ",  # QueryPlanTool, RecursiveRetriever
    re.DOTALL,
)
EXECUTE = "execute"
"""The tool by which a CodeActAgent runs its code; what that prints are the model's own words."""

_PARTS = (BaseQueryEngine, BaseRetriever, BaseTool, BaseWorkflowAgent, AgentWorkflow)


def is_sub_answer(scored: NodeWithScore) -> bool:
    """Whether LlamaIndex made a node of a question and the answer that it generated.

    It does not mark them. They have the form of its templates, and unlike nodes of documents neither metadata nor
    relationships.
    """
    node = scored.node
    return not node.metadata and not node.relationships and _FORMS.match(node.get_content()) is not None


def refuse_unmarked(whole: object) -> None:
    """Refuse what puts generated answers among its source nodes where nothing tells them from passages.

    Raises:
        UsageError: an engine or retriever inside does so.
    """
    for part in _parts_of(whole, set()):
        if _answers_without_mark(part):
            raise UsageError(
                f"{type(part).__name__} puts generated answers among the source nodes, without a mark, so they would "
                "be evidence for themselves. Pass passages=<a function of the source nodes that gives the passages to "
                "check against>, or give it retrievers in place of query engines."
            )


def writes_code(whole: object) -> bool:
    """Whether a CodeActAgent is inside."""
    return any(isinstance(part, CodeActAgent) for part in _parts_of(whole, set()))


def refuse_code(whole: object) -> None:
    """Refuse an agent whose tool runs code of the model: what that prints may be the model's own words.

    Raises:
        UsageError: a CodeActAgent is inside.
    """
    if writes_code(whole):
        raise UsageError(
            "what a CodeActAgent's code prints is written by the model, so it would be evidence for itself. Pass "
            "passages=<a function of the tools' outputs that gives the passages to check against>, such as what your "
            "functions looked up, or guard a FunctionAgent."
        )


def _answers_without_mark(part: object) -> bool:
    if isinstance(part, BaseRetriever):
        linked = {**part.object_map, **getattr(part, "_query_engine_dict", {})}
        return any(isinstance(each, BaseQueryEngine) for each in linked.values())
    return isinstance(part, ComposableGraphQueryEngine)


def _parts_of(whole: object, seen: set[int]) -> Iterator[object]:
    """It, and the engines, retrievers, tools and agents that it is made of."""
    if id(whole) in seen:
        return
    seen.add(id(whole))
    yield whole
    for value in _values(vars(whole)):
        if isinstance(value, _PARTS):
            yield from _parts_of(value, seen)


def _values(container: Mapping[Any, Any] | Iterable[Any]) -> Iterator[object]:
    """Values, also of dicts and lists in them."""
    for value in container.values() if isinstance(container, Mapping) else container:
        if isinstance(value, (dict, list, tuple)):
            yield from _values(value)
        else:
            yield value
