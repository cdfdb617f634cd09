"""A query engine's new answer from the same nodes, told what was wrong with its last one."""

from __future__ import annotations

from dataclasses import dataclass, field

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import RESPONSE_TYPE
from llama_index.core.schema import NodeWithScore, QueryBundle

from guardrail.repair.feedback import Feedback
from guardrail_llamaindex.answers import atext_of, text_of


def synthesizes(engine: BaseQueryEngine) -> bool:
    """Whether an engine can answer from nodes that it is given."""
    return type(engine).synthesize is not BaseQueryEngine.synthesize


@dataclass(slots=True)
class Again:
    """Has an engine answer one question again from the same nodes, told what was wrong."""

    engine: BaseQueryEngine
    asked: QueryBundle
    nodes: list[NodeWithScore]
    made: dict[str, RESPONSE_TYPE] = field(default_factory=dict)

    def generate(self, feedback: Feedback) -> str:
        """A new answer."""
        response = self.engine.synthesize(self._bundle(feedback), self.nodes)
        return self._kept(text_of(response), response)

    async def agenerate(self, feedback: Feedback) -> str:
        """The same without blocking the event loop."""
        response = await self.engine.asynthesize(self._bundle(feedback), self.nodes)
        return self._kept(await atext_of(response), response)

    def of(self, text: str, first: RESPONSE_TYPE) -> RESPONSE_TYPE:
        """The response that a delivered text came in: one that was made again, or the first."""
        return self.made.get(text, first)

    def _bundle(self, feedback: Feedback) -> QueryBundle:
        return QueryBundle(f"{self.asked.query_str}\n\n{feedback.text}")

    def _kept(self, text: str, response: RESPONSE_TYPE) -> str:
        self.made[text] = response
        return text
