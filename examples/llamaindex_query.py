"""Guard a LlamaIndex query engine and a chat engine, and keep namesakes apart before generation.

    pip install "rag-guardrail[llama-index]"
    python examples/llamaindex_query.py

The model replays recorded answers, so that the example needs no key; put your own in its place.
"""

from __future__ import annotations

import re
from typing import Any

from guardrail_llamaindex import GuardedChatEngine, GuardedQueryEngine, NamesakePostprocessor
from llama_index.core import SummaryIndex
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.llms import CompletionResponse, CompletionResponseGen, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.schema import TextNode

from guardrail import Guard, Policy


class RecordedLLM(CustomLLM):
    """Stands for your model: replays the first of its ``answers`` whose key the prompt holds."""

    answers: dict[str, str]

    @property
    def metadata(self) -> LLMMetadata:
        """What engines ask for."""
        return LLMMetadata(model_name="recorded")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:  # noqa: ARG002
        """The answer."""
        return CompletionResponse(text=next(text for key, text in self.answers.items() if key in prompt))

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponseGen:  # noqa: ARG002
        """The answer, a word at a time."""
        said = ""
        for word in re.findall(r"\s*\S+", self.complete(prompt).text):
            said += word
            yield CompletionResponse(text=said, delta=word)


NODES = [
    TextNode(
        id_="swimmer",
        metadata={"title": "Dick Hanley (swimmer)"},
        text="Dick Hanley (born 1936) is a former swimmer. He won a silver medal in the relay at the 1956 Olympics.",
    ),
    TextNode(
        id_="coach",
        metadata={"title": "Dick Hanley (American football)"},
        text="Dick Hanley (1894 - 1970) was a football coach. He coached Northwestern from 1927 to 1934.",
    ),
]
LLM = RecordedLLM(
    answers={
        "medal": "Dick Hanley won a silver medal in the relay at the 1956 Olympics. He coached Northwestern.",
        "coach": "Dick Hanley coached Northwestern from 1927 to 1934. He earned 20,000 dollars a year.",
    }
)


def main() -> None:
    """Ask a query engine, then stream from a chat engine whose history keeps only what was delivered."""
    index = SummaryIndex(NODES)
    repair = Policy(name="redact", actions={"unsupported": "redact", "contradicted": "redact"})
    namesakes = NamesakePostprocessor()

    engine = GuardedQueryEngine(index.as_query_engine(llm=LLM, node_postprocessors=[namesakes]), Guard(policy=repair))
    response = engine.query("Which medal did Dick Hanley the swimmer win?")
    print(response)
    print("sources:", [node.node_id for node in response.source_nodes])
    for finding in response.metadata["guardrail"].report.findings:
        print(f"- {finding.verdict}: {finding.text}")

    chat = GuardedChatEngine(
        ContextChatEngine.from_defaults(
            index.as_retriever(),
            llm=LLM,
            memory=ChatMemoryBuffer.from_defaults(token_limit=2000),
            node_postprocessors=[namesakes],
        ),
        Guard(policy=repair),
        mode="sentence",
    )
    stream = chat.stream_chat("Where did Hanley the football coach work?")
    for text in stream.response_gen:
        print(text, end="", flush=True)
    print()
    print("history:", chat.chat_history[-1].content)


if __name__ == "__main__":
    main()
