"""Guard the node of a LangGraph graph that writes the answer.

    pip install "rag-guardrail[langchain-agents]"
    python examples/langgraph_node.py

The chat model replays a recorded answer, so that the example needs no key; put your own in its place.
"""

from __future__ import annotations

from typing import Any, TypedDict

from guardrail_langchain import guardrail_node
from guardrail_langchain.demo import WordEmbeddings
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.vectorstores import InMemoryVectorStore
from langgraph.graph import END, START, StateGraph

from guardrail import Guard, Policy

STORE = InMemoryVectorStore(WordEmbeddings())  # stands for your embeddings
STORE.add_documents(
    [
        Document(id="garage", page_content="The garage opens at 6:00 and closes at 23:00. A day costs 14 euros."),
        Document(id="library", page_content="The library lends books for four weeks. It was closed in March."),
    ]
)
MODEL = FakeListChatModel(responses=["The garage opens at 6:00. A famous architect from Vienna designed it."])


class State(TypedDict, total=False):
    """An ordinary state, and a place for what the guard found."""

    question: str
    documents: list[Document]
    answer: str
    guardrail: dict[str, Any]


def retrieve(state: State) -> State:
    """Find documents."""
    return {"documents": STORE.similarity_search(state["question"], k=1)}


def generate(state: State) -> State:
    """Answer from them."""
    return {"answer": MODEL.invoke(f"{state['documents']}\n{state['question']}").text}


def main() -> None:
    """The node stands around ``generate``, so the raw answer is never written, streamed or kept."""
    graph = StateGraph(State)
    graph.add_node("retrieve", retrieve)
    graph.add_node("generate", guardrail_node(Guard(policy=Policy.strict()), around=generate))
    graph.add_edge(START, "retrieve")
    graph.add_edge("retrieve", "generate")
    graph.add_edge("generate", END)
    for mode, data in graph.compile().stream({"question": "When is the garage open?"}, stream_mode=["updates"]):
        print(mode, {node: update.get("answer", "...") for node, update in data.items()})


if __name__ == "__main__":
    main()
