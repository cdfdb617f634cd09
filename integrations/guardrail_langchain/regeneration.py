"""A new answer on the same documents: what ``regenerate`` may be, and how it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.messages.ai import add_usage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableSequence
from langchain_core.runnables.base import RunnableBindingBase, coerce_to_runnable
from langchain_core.runnables.passthrough import RunnableAssign

from guardrail import ConfigurationError, GuardedAnswer, UsageError
from guardrail.check.drivers import Program, Work
from guardrail.errors import EngineError
from guardrail.repair.feedback import Feedback
from guardrail.wrap.kinds import HideFrom
from guardrail_langchain.answers import text_of
from guardrail_langchain.callbacks import suppress_tracing
from guardrail_langchain.documents import to_documents
from guardrail_langchain.history import refuse_history
from guardrail_langchain.parts import ANSWER_KEYS, QUESTION_KEYS, Parts

Regenerate = bool | Runnable[Any, Any] | Callable[[dict[str, Any]], Any]
"""True: the chain's own last step again. False: nobody. Else what makes an answer of question, passages and so on."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the chain, as far as it has come; ``again``: the answers that were made anew."""

    given: Any
    output: Any
    documents: object
    question: str | None
    config: RunnableConfig
    again: list[Any] = field(default_factory=list)


def written(first: Any, again: Sequence[Any], guarded: GuardedAnswer, parts: Parts) -> Any:
    """The value whose text was checked last: the first answer, or a new one of its type, with the first one's id.

    A message tells the usage of all calls of the model.
    """
    same = (each for each in again if type(each) is type(first) and parts.text(each) == guarded.report.answer)
    best = next(same, first)
    if not isinstance(best, AIMessage):
        return best
    told = [each.usage_metadata for each in (first, *again) if isinstance(each, AIMessage) and each.usage_metadata]
    return best.model_copy(update={"id": first.id, "usage_metadata": reduce(add_usage, told) if told else None})


@dataclass(frozen=True, slots=True)
class Regeneration:
    """Answers a call's question again.

    Attributes:
        runnable: Makes the answer.
        parts: Where things are in what it returns.
        hide_from: See guard_chain.
        key: Of the answer, where the runnable is a step of the chain itself.
        required: Whether the caller said that the chain can.
    """

    runnable: Runnable[Any, Any]
    parts: Parts
    hide_from: HideFrom
    key: str | None = None
    required: bool = True

    def answered(self, call: Call, feedback: Feedback) -> Program[str]:
        """A new answer."""
        given = self._given(call, feedback)
        with suppress_tracing(self.hide_from):
            said = yield Work(
                partial(self.runnable.invoke, given, call.config), partial(self.runnable.ainvoke, given, call.config)
            )
        answer = self.parts.find_answer(said) if self.key is None and isinstance(said, Mapping) else said
        call.again.append(answer)
        return self.parts.text(answer)

    def _given(self, call: Call, feedback: Feedback) -> dict[str, Any]:
        if self.key is None:
            return {
                "question": call.question,
                "passages": to_documents(call.documents),
                "feedback": feedback.text,
                "answer": feedback.answer,
                "input": call.given,
            }
        before = {k: v for k, v in call.output.items() if k != self.key} if isinstance(call.output, Mapping) else {}
        key = next((k for k in (self.parts.question, *QUESTION_KEYS) if isinstance(k, str) and k in before), None)
        if key is None:
            raise (UsageError if self.required else EngineError)(
                f"regenerate=True puts the feedback behind the question, but none of {', '.join(QUESTION_KEYS)} is in "
                f"the chain's output (keys {sorted(map(str, before))}). Pass question=<key> or regenerate=<Runnable>."
            )
        return before | {key: f"{text_of(before[key])}\n\n{feedback.text}"}


def regeneration_of(
    option: Regenerate | None, chain: Runnable[Any, Any] | None, parts: Parts, hide_from: HideFrom
) -> Regeneration | None:
    """What the option means for this chain; None where nothing can answer again.

    Raises:
        ConfigurationError: True, but the chain has no last step that makes the answer from documents in its output.
    """
    if option is False:
        return None
    if option is None or option is True:
        found = answering_step(chain, parts)
        if found is not None:
            return Regeneration(found[1], parts, hide_from, found[0], required=option is True)
        if option is None:
            return None
        raise ConfigurationError(
            "regenerate=True needs a chain that ends in `.assign(answer=...)`, as create_retrieval_chain makes: only "
            "there can the answer be made again from the same documents. Pass regenerate=<Runnable or callable> that "
            "takes {'question', 'passages', 'feedback', 'answer', 'input'} and returns the new answer."
        )
    if not isinstance(option, Runnable) and not callable(option):
        raise ConfigurationError(f"regenerate must be True, a Runnable or a callable, got {type(option).__name__}.")
    runnable = coerce_to_runnable(option)
    refuse_history(runnable)
    return Regeneration(runnable, parts, hide_from)


def answering_step(chain: Runnable[Any, Any] | None, parts: Parts) -> tuple[str, Runnable[Any, Any]] | None:
    """The step of ``....assign(answer=step)`` at the chain's end: all that it reads is in the chain's output."""
    while isinstance(chain, RunnableBindingBase):
        chain = chain.bound
    last = chain.last if isinstance(chain, RunnableSequence) else chain
    while isinstance(last, RunnableBindingBase):
        last = last.bound
    if isinstance(last, RunnableAssign):
        steps = last.mapper.steps__
        keys = (parts.answer,) if isinstance(parts.answer, str) else ANSWER_KEYS
        key = next((key for key in keys if key in steps), None)
        if key is not None and len(steps) == 1:
            return key, steps[key]
    return None
