"""An output guardrail whose passages are the outputs of the run's tools."""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import Any, TypeVar

from agents import (
    Agent,
    FunctionTool,
    GuardrailFunctionOutput,
    OutputGuardrail,
    OutputGuardrailTripwireTriggered,
    RunContextWrapper,
    ToolGuardrailFunctionOutput,
    ToolOutputGuardrail,
    ToolOutputGuardrailData,
)

from guardrail import Guard, GuardedAnswer, Passage, UsageError
from guardrail.retrieval.request.tool_outputs import distinct, passages_of
from guardrail.types import Action
from guardrail.wrap.answer_field import answer_field, text_in

A = TypeVar("A", bound=Agent[Any])


class Grounding:
    """The guardrails of one guard, for any number of agents and runs.

    The SDK's output guardrail sees the answer only, so a guardrail of each function tool notes what it returned. Tools
    that OpenAI hosts (file search, web search) have no such guardrails: their results are not seen.

    Args:
        guard: The guard.
        answer_field: The field of a structured output that is the answer; None = the longest free text.
        trips_on: ``block``: the run ends where the policy blocks; ``change``: also where it would change the answer,
            which a guardrail of this SDK cannot do itself (``delivered`` gives the text to show).

    Attributes:
        output: The output guardrail.
        tool_output: The guardrail of tools.

    Raises:
        UsageError: an option is unknown.
    """

    def __init__(self, guard: Guard, *, answer_field: str | None = None, trips_on: str = "change") -> None:
        if not isinstance(guard, Guard):
            raise UsageError(f"guard must be a Guard, got {type(guard).__name__}. Pass Guard(policy=...).")
        if trips_on not in ("block", "change"):
            raise UsageError(f"trips_on must be 'block' or 'change', got {trips_on!r}.")
        self.guard = guard
        self._field = answer_field
        self._trips_on = trips_on
        self._found: dict[int, tuple[weakref.ref[Any], list[Passage]]] = {}
        self.output: OutputGuardrail[Any] = OutputGuardrail(self._check, name="grounding")
        self.tool_output: ToolOutputGuardrail[Any] = ToolOutputGuardrail(self._note, name="grounding_evidence")

    def attach(self, agent: A) -> A:
        """A copy of the agent with these guardrails on it and on its function tools."""
        tools = [
            replace(tool, tool_output_guardrails=[*(tool.tool_output_guardrails or ()), self.tool_output])
            if isinstance(tool, FunctionTool)
            else tool
            for tool in agent.tools
        ]
        guarded: A = agent.clone(tools=tools, output_guardrails=[*agent.output_guardrails, self.output])
        return guarded

    def passages(self, context: RunContextWrapper[Any]) -> tuple[Passage, ...]:
        """What the tools of this run have returned so far."""
        return distinct(self._of(context))

    def _of(self, context: RunContextWrapper[Any]) -> list[Passage]:
        # Tools get contexts of their own; what all contexts of one run share is the count of its usage.
        key = id(context.usage)
        held = self._found.get(key)
        if held is None or held[0]() is not context.usage:
            gone = weakref.ref(context.usage, lambda _: self._found.pop(key, None))
            held = self._found[key] = (gone, [])
        return held[1]

    def _note(self, data: ToolOutputGuardrailData) -> ToolGuardrailFunctionOutput:
        self._of(data.context).extend(passages_of(data.output, data.context.tool_name))
        return ToolGuardrailFunctionOutput.allow()

    async def _check(self, context: RunContextWrapper[Any], agent: Agent[Any], output: Any) -> GuardrailFunctionOutput:
        del agent
        guarded = await self.guard.arun(self._text(output), self.passages(context), question=_question(context))
        changed = guarded.text != guarded.report.answer
        trips = guarded.action is Action.BLOCK or (changed and self._trips_on == "change")
        return GuardrailFunctionOutput(output_info=guarded, tripwire_triggered=trips)

    def _text(self, output: Any) -> str:
        if isinstance(output, str):
            return output
        name = answer_field(output, self._field)
        return "" if name is None else text_in(output, name)


def delivered(error: OutputGuardrailTripwireTriggered) -> GuardedAnswer:
    """What to show instead of the answer at which the run ended.

    Raises:
        UsageError: another guardrail ended it.
    """
    info = error.guardrail_result.output.output_info
    if not isinstance(info, GuardedAnswer):
        raise UsageError(f"the guardrail {error.guardrail_result.guardrail.get_name()!r} ended this run, not ours.")
    return info


def _question(context: RunContextWrapper[Any]) -> str | None:
    """The last text of the user that the run began with."""
    asked = [item for item in context.turn_input if isinstance(item, dict) and item.get("role") == "user"]
    content = asked[-1].get("content") if asked else None
    return content if isinstance(content, str) else None
