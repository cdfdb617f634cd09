"""A LlamaIndex query engine around another: its answer is checked against its source nodes before it is returned."""

from __future__ import annotations

from collections.abc import Sequence

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import (
    RESPONSE_TYPE,
    AsyncStreamingResponse,
    Response,
    StreamingResponse,
)
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.schema import NodeWithScore, QueryBundle

from guardrail import Guard, GuardedAnswer, Passage, UsageError


class GuardedQueryEngine(BaseQueryEngine):
    """Answers as the inner engine does; ``response.metadata["guardrail"]`` holds the GuardedAnswer.

    A streaming answer is held back until it is whole and checked, then returned as a plain Response. Source nodes are
    kept. No state of a call lives here, so one object serves concurrent queries.

    Raises:
        UsageError: the guard is no Guard.
    """

    def __init__(self, engine: BaseQueryEngine, guard: Guard) -> None:
        if not isinstance(guard, Guard):
            raise UsageError(f"guard must be a Guard, got {type(guard).__name__}. Write Guard(policy=...).")
        super().__init__(engine.callback_manager)
        self.inner = engine
        self.guard = guard

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        response = self.inner.query(query_bundle)
        if isinstance(response, StreamingResponse):
            response = response.get_response()
        passages = to_passages(response.source_nodes)
        return _delivered(response, self.guard.run(str_of(response), passages, question=query_bundle.query_str))

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        response = await self.inner.aquery(query_bundle)
        if isinstance(response, AsyncStreamingResponse):
            response = await response.get_response()
        elif isinstance(response, StreamingResponse):
            response = response.get_response()
        passages = to_passages(response.source_nodes)
        guarded = await self.guard.arun(str_of(response), passages, question=query_bundle.query_str)
        return _delivered(response, guarded)

    def _get_prompt_modules(self) -> PromptMixinType:
        return {"inner": self.inner}


def to_passages(nodes: Sequence[NodeWithScore]) -> list[Passage]:
    """Source nodes as passages: node ids are kept, titles come from metadata ``title``."""
    passages: list[Passage] = []
    seen: set[str] = set()
    for number, scored in enumerate(nodes, 1):
        ident = scored.node.node_id
        if not ident or ident in seen:
            ident = f"{ident}#{number}"
        seen.add(ident)
        title = scored.node.metadata.get("title")
        text = scored.node.get_content()
        passages.append(Passage(id=ident, text=text, title=title if isinstance(title, str) else None))
    return passages


def str_of(response: RESPONSE_TYPE) -> str:
    """The answer's text; an engine that found nothing gives None, which is an empty answer."""
    answer = getattr(response, "response", None)
    return "" if answer is None else str(answer)


def _delivered(response: RESPONSE_TYPE, guarded: GuardedAnswer) -> Response:
    """A new response: the delivered text, the same source nodes, the metadata and the verdict."""
    return Response(
        response=guarded.text,
        source_nodes=response.source_nodes,
        metadata={**(response.metadata or {}), "guardrail": guarded},
    )
