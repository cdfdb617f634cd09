"""Guard a LangChain RAG chain: retriever, prompt, chat model and parser, wrapped in one line.

    pip install "rag-guardrail[langchain]"
    python examples/langchain_chain.py

The chat model replays a recorded answer, so that the example needs no key; put your own in its place.
"""

from __future__ import annotations

from typing import Any

from guardrail_langchain import guard_chain
from guardrail_langchain.demo import WordEmbeddings
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from guardrail import Guard, Policy

DOCUMENTS = [
    Document(
        id="garage",
        metadata={"title": "Garage"},
        page_content="The garage opens at 6:00 and closes at 23:00. An hour costs 2 euros, a day 14 euros.",
    ),
    Document(
        id="library",
        metadata={"title": "Library"},
        page_content="The library lends books for four weeks. It was closed in March because the roof leaked.",
    ),
    Document(
        id="pool",
        metadata={"title": "Pool"},
        page_content="The pool opens at 7:00. Children swim free of charge on Sundays.",
    ),
]
RECORDED = "The garage opens at 6:00 and closes at 23:00. A day costs 20 euros."


def rag_chain() -> Runnable[Any, Any]:
    """An ordinary chain: ``{"input"}`` -> ``{"input", "context", "answer"}``."""
    store = InMemoryVectorStore(WordEmbeddings())  # stands for your embeddings
    store.add_documents(DOCUMENTS)
    retriever = store.as_retriever(search_kwargs={"k": 2})
    prompt = ChatPromptTemplate.from_template("Answer from the documents only.\n{context}\nQuestion: {input}")
    generate = prompt | FakeListChatModel(responses=[RECORDED]) | StrOutputParser()
    return RunnablePassthrough.assign(context=lambda given: retriever.invoke(given["input"])).assign(answer=generate)


def main() -> None:
    """Run the guarded chain; its output has the chain's own keys and ``guardrail``."""
    chain = guard_chain(rag_chain(), Guard(policy=Policy.annotate()))
    output = chain.invoke({"input": "When does the garage open, and what does a day cost?"})
    print(output["answer"])
    for finding in output["guardrail"].report.findings:
        print(f"- {finding.verdict}: {finding.text}")


if __name__ == "__main__":
    main()
