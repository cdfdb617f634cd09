"""A capability that checks an agent's output against what its tools returned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.capabilities import AbstractCapability

from guardrail import Guard, GuardedAnswer, Passage
from guardrail.repair.feedback import Feedback
from guardrail.retrieval.request.tool_outputs import distinct, passages_of
from guardrail.types import Action
from guardrail.wrap.answer_field import answer_field, replaced, text_in


@dataclass
class Grounding(AbstractCapability[Any]):
    """Checks each output of an agent; a text that the policy changes or blocks is replaced.

    Where the policy asks for a new answer the model is asked again, told what was wrong, as often as the agent's
    retries of outputs allow. Parts of a stream are not checked: use it with ``run`` or ``iter``, or read the end only.

    Attributes:
        guard: The guard.
        answer_field: The field of a structured output that is the answer; None = the longest free text.
        listener: Hears of every checked output.
    """

    guard: Guard
    answer_field: str | None = None
    listener: Callable[[GuardedAnswer], None] | None = None
    _found: list[Passage] = field(default_factory=list, init=False, repr=False)

    async def for_run(self, ctx: RunContext[Any]) -> Grounding:
        """A copy with passages of its own: runs at once do not mix."""
        del ctx
        return replace(self)

    async def after_tool_execute(
        self, ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any, result: Any
    ) -> Any:
        """Note what a tool returned."""
        del ctx, tool_def, args
        self._found += passages_of(result, call.tool_name)
        return result

    async def after_output_process(self, ctx: RunContext[Any], *, output_context: Any, output: Any) -> Any:
        """Check the output, and deliver what the policy says.

        Raises:
            ModelRetry: the policy asks for a new answer, and the agent may ask for one.
        """
        del output_context
        if ctx.partial_output:
            return output
        name = None if isinstance(output, str) else answer_field(output, self.answer_field)
        if name is None and not isinstance(output, str):
            return output  # nothing in it is free text: a number, a choice
        text = output if name is None else text_in(output, name)
        question = ctx.prompt if isinstance(ctx.prompt, str) else None
        report = await self.guard.acheck(text, distinct(self._found), question=question)
        decision = self.guard.policy_of_call(None).decide(report)
        if decision.action is Action.REGENERATE and ctx.retry < ctx.max_retries:
            again = Feedback(answer=text, question=question, report=report, decision=decision, attempt=ctx.retry + 2)
            raise ModelRetry(again.text)
        guarded = await self.guard.arepair(report)
        if self.listener is not None:
            self.listener(guarded)
        if guarded.text == text:
            return output
        return guarded.text if name is None else replaced(output, name, guarded.text)
