"""Guard a LangChain agent: its answers are checked against what its tools retrieved.

    pip install "rag-guardrail[langchain-agents]"
    python examples/langchain_agent.py

The chat model replays recorded messages, so that the example needs no key; put your own in its place.
"""

from __future__ import annotations

from typing import Any

from guardrail_langchain import GuardrailMiddleware
from guardrail_langchain.demo import WordEmbeddings
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langchain_core.vectorstores import InMemoryVectorStore

from guardrail import Guard, Policy

STORE = InMemoryVectorStore(WordEmbeddings())  # stands for your embeddings
STORE.add_documents(
    [
        Document(id="garage", page_content="The garage opens at 6:00 and closes at 23:00. A day costs 14 euros."),
        Document(id="library", page_content="The library lends books for four weeks. It was closed in March."),
    ]
)
RECORDED = [
    AIMessage("", tool_calls=[{"name": "search", "args": {"query": "garage"}, "id": "1"}]),
    AIMessage("The garage opens at 6:00. A famous architect from Vienna designed it."),
    AIMessage("The garage opens at 6:00 and closes at 23:00."),  # after the feedback
]


class Recorded(FakeMessagesListChatModel):
    """Replays messages, whatever the tools."""

    def bind_tools(self, *_: Any, **__: Any) -> Recorded:
        """Tools are in the recording."""
        return self


@tool(response_format="content_and_artifact")
def search(query: str) -> tuple[str, list[Document]]:
    """Search the documents."""
    documents = STORE.similarity_search(query, k=1)
    return "\n".join(document.page_content for document in documents), documents


def main() -> None:
    """The first answer does not pass, the model is told why, the second one does; only that one enters the state."""
    guard = Guard(policy=Policy.repair())
    agent = create_agent(Recorded(responses=RECORDED), [search], middleware=[GuardrailMiddleware(guard)])
    state = agent.invoke({"messages": [HumanMessage("When is the garage open?")]})
    for message in state["messages"]:
        print(f"{message.type}: {message.text}")
    about = state["messages"][-1].response_metadata["guardrail"]
    print(f"{about['verdict']}, {about['action']}, {about['attempts']} attempts")


if __name__ == "__main__":
    main()
