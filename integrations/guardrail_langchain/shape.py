"""The shape of a chain's answers, where it has given none: a dict, a message or a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_type_hints

from langchain_core.language_models import BaseLanguageModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import Runnable, RunnableLambda, RunnableSequence
from langchain_core.runnables.base import RunnableBindingBase

from guardrail import GuardedAnswer
from guardrail_langchain.answers import summary
from guardrail_langchain.parts import Parts
from guardrail_langchain.regeneration import answering_step

Shape = Callable[[GuardedAnswer, Any], Any]
"""From what is delivered, and what the key ``guardrail`` holds, to an output of the chain."""


def shape_of(chain: Runnable[Any, Any], parts: Parts) -> Shape | None:
    """How the chain would have put its answer; None where it does not tell, or as an object."""
    step = answering_step(chain, parts)
    key = parts.answer if isinstance(parts.answer, str) else None if step is None else step[0]
    if key is not None and parts.field is None:
        return lambda guarded, verdict: {key: guarded.text, "guardrail": verdict}
    last = _last(chain)
    if isinstance(last, StrOutputParser) or _returns(last, str):
        return lambda guarded, _: guarded.text
    if isinstance(last, BaseLanguageModel) or _returns(last, BaseMessage):
        return lambda guarded, _: AIMessage(guarded.text, response_metadata={"guardrail": summary(guarded)})
    return None


def _last(chain: Runnable[Any, Any]) -> Runnable[Any, Any]:
    while isinstance(chain, (RunnableBindingBase, RunnableSequence)):
        chain = chain.bound if isinstance(chain, RunnableBindingBase) else chain.last
    return chain


def _returns(step: Runnable[Any, Any], kind: type) -> bool:
    """Whether a step says so; what a function without annotations returns nobody knows."""
    try:
        said = step.OutputType
        if isinstance(said, str) and isinstance(step, RunnableLambda):  # annotations that are not evaluated yet
            said = get_type_hints(step.func if hasattr(step, "func") else step.afunc).get("return")
    except Exception:  # annotations are code of the chain's author
        return False
    return isinstance(said, type) and issubclass(said, kind)
