"""Guard the final answer of a LlamaIndex agent: its events never show a word that nobody checked.

    pip install "rag-guardrail[llama-index]"
    python examples/llamaindex_agent.py

The model replays recorded steps, so that the example needs no key; put your own, and a FunctionAgent, in its place.
"""

from __future__ import annotations

import asyncio

from guardrail_llamaindex import GuardedAgent
from llama_index.core import SummaryIndex
from llama_index.core.agent.workflow import AgentStream, ReActAgent, ToolCall
from llama_index.core.schema import TextNode
from llama_index.core.tools import QueryEngineTool
from llamaindex_query import RecordedLLM

from guardrail import Guard, Policy

INDEX = SummaryIndex(
    [TextNode(id_="garage", text="The garage opens at 6:00 and closes at 23:00. A day costs 14 euros.")]
)
LLM = RecordedLLM(
    answers={
        "Observation: A day": "Thought: I can answer.\nAnswer: The garage opens at 6:00. A day costs 20 euros.",
        "Action Input": 'Thought: I need a tool.\nAction: garage\nAction Input: {"input": "prices and hours"}',
        "": "A day costs 20 euros.",  # of the query engine: no evidence, its source nodes are
    }
)


async def main() -> None:
    """Ask an agent whose tool invents a price, and read its events as they come."""
    tool = QueryEngineTool.from_defaults(INDEX.as_query_engine(llm=LLM), name="garage", description="about the garage")
    repair = Policy(name="redact", actions={"unsupported": "redact", "contradicted": "redact"})
    agent = GuardedAgent(ReActAgent(tools=[tool], llm=LLM), Guard(policy=repair))

    run = agent.run("When does the garage open, and what does a day cost?")
    async for event in run.stream_events():
        if isinstance(event, ToolCall):
            print("tool:", event.tool_name)
        elif isinstance(event, AgentStream):
            print(event.delta)
    output = await run
    for finding in output.guardrail.report.findings:
        print(f"- {finding.verdict}: {finding.text}")


if __name__ == "__main__":
    asyncio.run(main())
