"""A query engine's new answer from the same nodes, told what was wrong with its last one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import RESPONSE_TYPE
from llama_index.core.schema import NodeWithScore, QueryBundle

from guardrail import UsageError
from guardrail.check.drivers import Program, Work, either
from guardrail.repair.feedback import Feedback
from guardrail.repair.generators import Generator
from guardrail.wrap.kinds import Regenerators
from guardrail_llamaindex.answers import atext_of, text_of


def regenerators(option: Generator | bool | None, own: Callable[[Feedback], Program[str]] | None) -> Regenerators:
    """Who answers again: the caller's generator, or the engine itself where it can (``own``) and may."""
    if not isinstance(option, (bool, type(None))):
        return Regenerators(option, option)
    return Regenerators() if own is None or option is False else Regenerators.of(own)


def synthesizes(engine: object) -> bool:
    """Whether an engine can answer from nodes that it is given."""
    return isinstance(engine, BaseQueryEngine) and type(engine).synthesize is not BaseQueryEngine.synthesize


def cannot_answer_again(engine: object) -> UsageError:
    """For ``regenerate=True`` where that is known."""
    return UsageError(
        f"{type(engine).__name__} cannot answer again from given nodes. Pass regenerate=<callable>, or leave it out."
    )


@dataclass(slots=True)
class Regeneration:
    """Has an engine answer one question again from the same nodes, told what was wrong."""

    engine: BaseQueryEngine
    question: str
    nodes: list[NodeWithScore]
    answer_field: str | None = None
    made: dict[str, RESPONSE_TYPE] = field(default_factory=dict)

    def answered(self, feedback: Feedback) -> Program[str]:
        """A new answer."""
        bundle = QueryBundle(f"{self.question}\n\n{feedback.text}")
        response: Any = yield Work(
            partial(self.engine.synthesize, bundle, self.nodes), partial(self.engine.asynthesize, bundle, self.nodes)
        )
        text = yield from either(text_of, atext_of, response, self.answer_field)
        self.made[text] = response
        return text

    def of(self, text: str, first: RESPONSE_TYPE) -> RESPONSE_TYPE:
        """The response that a delivered text came in: one that was made again, or the first."""
        return self.made.get(text, first)
