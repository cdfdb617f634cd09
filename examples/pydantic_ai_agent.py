"""Guard a Pydantic AI agent: its answer is checked against what its tools returned.

    pip install "rag-guardrail[pydantic-ai]"
    python examples/pydantic_ai_agent.py

The model is scripted, so that the example needs no key: wrong at first, right when told. Put your own in its place.
"""

from __future__ import annotations

from guardrail_pydantic_ai import Grounding
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from guardrail import Guard, GuardedAnswer, Policy

DOCUMENT = {"title": "Garage", "text": "The garage opens at 6:00 and closes at 23:00. A day costs 14 euros."}


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Search, then answer."""
    del info
    if "ToolReturnPart" not in str(messages):
        return ModelResponse(parts=[ToolCallPart("search", {"query": "garage"})])
    told = "was checked against the passages" in str(messages)
    return ModelResponse(parts=[TextPart(f"The garage opens at 6:00. A day costs {14 if told else 19} euros.")])


def report(guarded: GuardedAnswer) -> None:
    """What the guard found in the answer that is delivered."""
    print("verdict:", guarded.report.verdict.value, " passages:", [p.title for p in guarded.report.passages])


def main() -> None:
    """Ask once."""
    guard = Guard(policy=Policy.load("repair"))
    agent = Agent(FunctionModel(model), capabilities=[Grounding(guard, listener=report)])

    @agent.tool_plain
    def search(query: str) -> list[dict[str, str]]:
        """Find documents."""
        del query
        return [DOCUMENT]

    print("answer: ", agent.run_sync("When does the garage open, and what does a day cost?").output)


if __name__ == "__main__":
    main()
