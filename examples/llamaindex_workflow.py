"""The guard as a step of a LlamaIndex workflow: retrieve, generate, check.

    pip install "rag-guardrail[llama-index]"
    python examples/llamaindex_workflow.py

The model replays a recorded answer, so that the example needs no key; put your own in its place.
"""

from __future__ import annotations

import asyncio

from guardrail_llamaindex import to_passages
from llama_index.core import SummaryIndex
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.workflow import Event, StartEvent, StopEvent, Workflow, step
from llamaindex_query import RecordedLLM

from guardrail import Guard, Policy

INDEX = SummaryIndex(
    [TextNode(id_="garage", text="The garage opens at 6:00 and closes at 23:00. A day costs 14 euros.")]
)
LLM = RecordedLLM(answers={"": "The garage opens at 6:00 and closes at 23:00. A day costs 20 euros."})


class Drafted(Event):
    """An answer that nobody has checked: it goes from step to step, never to ``ctx.write_event_to_stream``."""

    question: str
    answer: str
    nodes: list[NodeWithScore]


class GuardedRag(Workflow):
    """Answers from an index; the last step checks, so nothing unchecked is a result."""

    def __init__(self, guard: Guard) -> None:
        super().__init__(timeout=60)
        self.guard = guard

    @step
    async def answer(self, given: StartEvent) -> Drafted:
        """Retrieve and generate."""
        nodes = await INDEX.as_retriever().aretrieve(given.question)
        response = await get_response_synthesizer(llm=LLM).asynthesize(given.question, nodes)
        return Drafted(question=given.question, answer=str(response), nodes=nodes)

    @step
    async def check(self, draft: Drafted) -> StopEvent:
        """Check the draft against its nodes; the guard serves any number of runs at once."""
        guarded = await self.guard.arun(draft.answer, to_passages(draft.nodes), question=draft.question)
        return StopEvent(result=guarded)


async def main() -> None:
    """Run the workflow twice at once."""
    rag = GuardedRag(Guard(policy=Policy.annotate()))
    for guarded in await asyncio.gather(
        rag.run(question="What does a day cost?"), rag.run(question="When is it open?")
    ):
        print(f"[{guarded.action}] {guarded.text}\n")


if __name__ == "__main__":
    asyncio.run(main())
