"""One turn of a chat engine: a copy of the engine whose answer waits, and the same again from the same nodes."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.chat_engine.types import (
    AGENT_CHAT_RESPONSE_TYPE,
    BaseChatEngine,
)
from llama_index.core.memory import BaseMemory
from llama_index.core.schema import NodeWithScore, QueryBundle

from guardrail.repair.feedback import Feedback
from guardrail_llamaindex.answers import RESPONSES, atext_of, text_of
from guardrail_llamaindex.chat_memory import StagedMemory
from guardrail_llamaindex.regeneration import synthesizes


@dataclass(frozen=True, slots=True)
class Turn:
    """One message to a chat engine.

    Attributes:
        engine: The caller's engine; it is not touched.
        message: What the user said.
        attribute: Where the engine has its memory; None = it has none.
        staged: What its copy has instead; None where it has none.
    """

    engine: BaseChatEngine
    message: str
    attribute: str | None
    staged: StagedMemory | None

    @classmethod
    def of(cls, engine: BaseChatEngine, message: str, attribute: str | None) -> Turn:
        """A new turn."""
        memory = getattr(engine, attribute) if attribute else None
        staged = StagedMemory.over(memory) if isinstance(memory, BaseMemory) else None
        return cls(engine, message, attribute, staged)

    def copy(self) -> BaseChatEngine:
        """The engine for this turn; what it answers waits in ``staged``."""
        engine = copy.copy(self.engine)
        if self.attribute and self.staged is not None:
            setattr(engine, self.attribute, self.staged)
        return engine

    def again(self, nodes: Sequence[NodeWithScore]) -> Again | None:
        """Asks the engine again on the same nodes; None where it would retrieve others."""
        if self.attribute is None:
            return None
        queries = getattr(self.engine, "_query_engine", None)
        if queries is not None:
            return Again(self, nodes) if isinstance(queries, BaseQueryEngine) and synthesizes(queries) else None
        return Again(self, nodes) if hasattr(self.engine, "_retriever") or not nodes else None


@dataclass(frozen=True, slots=True)
class Again:
    """Answers the message of a turn again from the same nodes, told what was wrong; no memory keeps it."""

    turn: Turn
    nodes: Sequence[NodeWithScore]

    def generate(self, feedback: Feedback) -> str:
        """A new answer."""
        queries = getattr(self.turn.engine, "_query_engine", None)
        if isinstance(queries, BaseQueryEngine):
            return text_of(queries.synthesize(QueryBundle(self._message(feedback)), list(self.nodes)))
        return self._scratch().chat(self._message(feedback)).response

    async def agenerate(self, feedback: Feedback) -> str:
        """The same without blocking the event loop."""
        queries = getattr(self.turn.engine, "_query_engine", None)
        if isinstance(queries, BaseQueryEngine):
            bundle = QueryBundle(self._message(feedback))
            return await atext_of(await queries.asynthesize(bundle, list(self.nodes)))
        return (await self._scratch().achat(self._message(feedback))).response

    def _message(self, feedback: Feedback) -> str:
        return f"{self.turn.message}\n\n{feedback.text}"

    def _scratch(self) -> BaseChatEngine:
        turn = self.turn
        memory = getattr(turn.engine, str(turn.attribute))
        fixed: dict[str, object] = {str(turn.attribute): StagedMemory.over(memory, scratch=True)}
        if hasattr(turn.engine, "_retriever"):
            # They were postprocessed, and the question condensed, the first time.
            fixed |= {"_retriever": _Nodes(self.nodes), "_node_postprocessors": [], "_skip_condense": True}
        engine = copy.copy(turn.engine)
        for name, value in fixed.items():
            if hasattr(engine, name):
                setattr(engine, name, value)
        return engine


class _Nodes(BaseRetriever):
    """Retrieves the same nodes, whatever is asked."""

    def __init__(self, nodes: Sequence[NodeWithScore]) -> None:
        super().__init__()
        self._nodes = list(nodes)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:  # noqa: ARG002
        return list(self._nodes)


def nodes_of(response: AGENT_CHAT_RESPONSE_TYPE) -> list[NodeWithScore]:
    """Source nodes of a chat response, also those that only its tools' outputs have."""
    if response.source_nodes:
        return list(response.source_nodes)
    outputs = [source.raw_output for source in response.sources]
    return [node for output in outputs if isinstance(output, RESPONSES) for node in output.source_nodes]
