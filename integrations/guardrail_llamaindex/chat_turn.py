"""One turn of a chat engine: a copy of the engine whose answer waits, and the same again from the same nodes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.chat_engine.types import BaseChatEngine
from llama_index.core.memory import BaseMemory
from llama_index.core.schema import NodeWithScore, QueryBundle

from guardrail.check.drivers import Program, Work
from guardrail.repair.feedback import Feedback
from guardrail_llamaindex.chat_memory import StagedMemory
from guardrail_llamaindex.regeneration import Regeneration, synthesizes


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

    def abandon(self) -> None:
        """Nobody waits for the copy any more: whatever it still says, the engine's memory does not hear of it."""
        if self.staged is not None:
            self.staged.seal()

    def delivering(self, text: str) -> Program[None]:
        """Let the answer into the engine's memory, with the text that was delivered."""
        if self.staged is not None:
            yield from self.staged.delivering(text)

    def regeneration(self, nodes: Sequence[NodeWithScore]) -> Callable[[Feedback], Program[str]] | None:
        """Answers again from the same nodes, told what was wrong, for no memory; None where it would retrieve others.

        An engine around a query engine has that one answer.
        """
        if self.attribute is None:
            return None
        queries = getattr(self.engine, "_query_engine", None)
        if queries is not None:
            return Regeneration(queries, self.message, list(nodes)).answered if synthesizes(queries) else None
        return partial(self._answered_again, nodes) if hasattr(self.engine, "_retriever") or not nodes else None

    def _answered_again(self, nodes: Sequence[NodeWithScore], feedback: Feedback) -> Program[str]:
        engine, message = self._scratch(nodes), f"{self.message}\n\n{feedback.text}"
        response = yield Work(partial(engine.chat, message), partial(engine.achat, message))
        text: str = response.response
        return text

    def _scratch(self, nodes: Sequence[NodeWithScore]) -> BaseChatEngine:
        memory = getattr(self.engine, str(self.attribute))
        fixed: dict[str, object] = {str(self.attribute): StagedMemory.over(memory, scratch=True)}
        if hasattr(self.engine, "_retriever"):
            # They were postprocessed, and the question condensed, the first time.
            fixed |= {"_retriever": _Nodes(nodes), "_node_postprocessors": [], "_skip_condense": True}
        engine = copy.copy(self.engine)
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
