"""A new answer on the same documents: what ``regenerate`` may be, and how it is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig, RunnableSequence
from langchain_core.runnables.base import RunnableBindingBase, coerce_to_runnable
from langchain_core.runnables.passthrough import RunnableAssign

from guardrail import ConfigurationError, UsageError
from guardrail.repair.feedback import Feedback
from guardrail_langchain.answers import text_of
from guardrail_langchain.callbacks import Detach, unheard
from guardrail_langchain.documents import to_documents
from guardrail_langchain.parts import ANSWER_KEYS, QUESTION_KEYS, Parts

Regenerate = bool | Runnable[Any, Any] | Callable[[dict[str, Any]], Any]
"""True: the chain's own last step again. Else what makes an answer of question, passages, feedback, answer, input."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the chain, as far as it has come."""

    given: Any
    output: Any
    documents: object
    question: str | None
    config: RunnableConfig


@dataclass(frozen=True, slots=True)
class Regeneration:
    """Answers a call's question again. ``key``: of the answer, where the runnable is a step of the chain itself."""

    runnable: Runnable[Any, Any]
    parts: Parts
    detach: Detach
    key: str | None = None

    def generator(self, call: Call) -> Callable[[Feedback], str]:
        """For Guard.run."""

        def generate(feedback: Feedback) -> str:
            with unheard(self.detach):
                return self._read(self.runnable.invoke(self._asked(call, feedback), call.config))

        return generate

    def agenerator(self, call: Call) -> Callable[[Feedback], Awaitable[str]]:
        """For Guard.arun."""

        async def generate(feedback: Feedback) -> str:
            with unheard(self.detach):
                return self._read(await self.runnable.ainvoke(self._asked(call, feedback), call.config))

        return generate

    def _asked(self, call: Call, feedback: Feedback) -> dict[str, Any]:
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
            raise UsageError(
                f"regenerate=True puts the feedback behind the question, but none of {', '.join(QUESTION_KEYS)} is in "
                f"the chain's output (keys {sorted(map(str, before))}). Pass question=<key> or regenerate=<Runnable>."
            )
        return before | {key: f"{text_of(before[key])}\n\n{feedback.text}"}

    def _read(self, said: Any) -> str:
        return text_of(self.parts.find_answer(said) if isinstance(said, Mapping) else said)


def regeneration(
    option: Regenerate | None, chain: Runnable[Any, Any] | None, parts: Parts, detach: Detach
) -> Regeneration | None:
    """What the option means for this chain.

    Raises:
        ConfigurationError: True, but the chain has no last step that makes the answer from documents in its output.
    """
    if option is None or option is False:
        return None
    if option is True:
        key, step = _answering_step(chain, parts)
        return Regeneration(step, parts, detach, key)
    if not isinstance(option, Runnable) and not callable(option):
        raise ConfigurationError(f"regenerate must be True, a Runnable or a callable, got {type(option).__name__}.")
    return Regeneration(coerce_to_runnable(option), parts, detach)


def _answering_step(chain: Runnable[Any, Any] | None, parts: Parts) -> tuple[str, Runnable[Any, Any]]:
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
    raise ConfigurationError(
        "regenerate=True needs a chain that ends in `.assign(answer=...)`, as create_retrieval_chain makes: only there "
        "can the answer be made again from the same documents. Pass regenerate=<Runnable or callable> that takes "
        "{'question', 'passages', 'feedback', 'answer', 'input'} and returns the new answer."
    )
