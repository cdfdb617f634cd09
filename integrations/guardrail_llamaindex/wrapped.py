"""What can be wrapped: engines and agents of the right kind."""

from __future__ import annotations

from typing import Any

from llama_index.core.agent.workflow import AgentWorkflow, BaseWorkflowAgent
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.chat_engine.types import BaseChatEngine
from llama_index.core.indices.base import BaseIndex

from guardrail import UsageError

Agent = BaseWorkflowAgent | AgentWorkflow

_WRITE: tuple[tuple[Any, str], ...] = (
    (BaseQueryEngine, "GuardedQueryEngine(engine, guard)"),
    (BaseChatEngine, "GuardedChatEngine(engine, guard)"),
    (Agent, "GuardedAgent(agent, guard)"),
    (BaseRetriever, "GuardedQueryEngine(RetrieverQueryEngine.from_args(retriever), guard)"),
)


def check_kind(given: object, kind: Any, noun: str, index: str) -> None:
    """Refuse what cannot be wrapped.

    Args:
        given: What the caller passed.
        kind: Class that it has to be of.
        noun: What that is called.
        index: What to write where an index is given.

    Raises:
        UsageError: it is something else; the message says what to write.
    """
    if isinstance(given, kind):
        return
    write = next((text for each, text in ((BaseIndex, index), *_WRITE) if isinstance(given, each)), None)
    advice = f"Write {write}." if write else "To check answers of something else, call guard.run or guard.arun."
    raise UsageError(f"expected {noun}, got {type(given).__name__}. {advice}")
