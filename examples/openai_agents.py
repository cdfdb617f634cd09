"""Guard an agent of the OpenAI Agents SDK: its answer is checked against what its tools returned.

    pip install "rag-guardrail[openai-agents]"
    python examples/openai_agents.py

The model is a scripted server on loopback, so that the example needs no key. Leave `model=` out to use your own.
"""

from __future__ import annotations

import asyncio
from typing import Any

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OutputGuardrailTripwireTriggered,
    RunConfig,
    Runner,
    function_tool,
)
from guardrail_openai_agents import Grounding, delivered
from openai import AsyncOpenAI

from guardrail import Guard, Policy
from guardrail.testing import OpenAIServer, Reply


@function_tool
def search(query: str) -> str:
    """Find documents."""
    del query
    return "The garage opens at 6:00 and closes at 23:00. A day costs 14 euros."


def script(body: dict[str, Any]) -> Reply:
    """Search, then answer wrongly."""
    if any(message["role"] == "tool" for message in body["messages"]):
        return Reply("The garage opens at 6:00. A day costs 19 euros.")
    return Reply('{"query": "garage"}', tool="search")


async def main() -> None:
    """Ask once; the run ends where the policy would change the answer, and the guard says what to show."""
    policy = Policy(name="cut", actions={"contradicted": "redact", "unsupported": "redact"})
    with OpenAIServer(script) as server:
        client = AsyncOpenAI(base_url=server.base_url, api_key="any")
        model = OpenAIChatCompletionsModel(model="any", openai_client=client)
        agent = Grounding(Guard(policy=policy)).attach(Agent(name="guide", model=model, tools=[search]))
        try:
            result = await Runner.run(agent, "When does it open?", run_config=RunConfig(tracing_disabled=True))
            print(result.final_output)
        except OutputGuardrailTripwireTriggered as error:
            print("delivered:", delivered(error).text)
        finally:
            await client.close()


if __name__ == "__main__":
    asyncio.run(main())
