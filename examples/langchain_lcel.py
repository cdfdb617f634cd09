"""Guard an LCEL chain that ends in a string, and stream it sentence by sentence.

    pip install "rag-guardrail[langchain]"
    python examples/langchain_lcel.py

The chain's output holds no documents: they are caught from the retriever of each call. The chat model replays a
recorded answer, so that the example needs no key; put your own in its place.
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

from guardrail import Guard, GuardedAnswer, Policy

DOCUMENTS = [
    Document(id="garage", page_content="The garage opens at 6:00 and closes at 23:00. A day costs 14 euros."),
    Document(id="library", page_content="The library lends books for four weeks. It was closed in March."),
    Document(id="pool", page_content="The pool opens at 7:00. Children swim free of charge on Sundays."),
]
RECORDED = "The garage opens at 6:00 and closes at 23:00. An architect from Vienna designed it. A day costs 14 euros."
POLICY = Policy(name="cut", actions={"contradicted": "redact", "unsupported": "redact"})


def joined(documents: list[Document]) -> str:
    """The documents as the prompt shows them."""
    return "\n".join(document.page_content for document in documents)


def lcel_chain() -> Runnable[Any, Any]:
    """An ordinary chain: a question in, a string out."""
    store = InMemoryVectorStore(WordEmbeddings())  # stands for your embeddings
    store.add_documents(DOCUMENTS)
    retriever = store.as_retriever(search_kwargs={"k": 2})
    prompt = ChatPromptTemplate.from_template("Answer from the documents only.\n{context}\nQuestion: {input}")
    model = FakeListChatModel(responses=[RECORDED])
    return {"context": retriever | joined, "input": RunnablePassthrough()} | prompt | model | StrOutputParser()


def main() -> None:
    """Each sentence leaves once it is checked; the invented one never does."""
    log: list[GuardedAnswer] = []
    chain = guard_chain(lcel_chain(), Guard(policy=POLICY), mode="sentence", listener=log.append)
    for text in chain.stream("When does the garage open, and what does a day cost?"):
        print(text, end="|")
    print(f"\n{log[0].action}: {[f.text for f in log[0].report.findings if f.verdict != 'supported']}")


if __name__ == "__main__":
    main()
