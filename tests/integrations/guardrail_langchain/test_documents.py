"""Documents of retrievers, caught on their way."""

from __future__ import annotations

import asyncio

from guardrail_langchain import guard_chain, to_passages
from guardrail_langchain.demo import WordEmbeddings
from langchain_core.documents import Document
from langchain_core.runnables import (
    RunnableLambda,
    RunnableParallel,
    RunnablePassthrough,
)
from langchain_core.vectorstores import InMemoryVectorStore

from guardrail import Guard, Policy
from tests.support.garage import QUESTION, RAW


def test_two_concurrent_calls_each_catch_their_own_documents_of_a_shared_retriever(guard):
    """Interleaved on purpose: both retrieve before either answers."""

    async def main():
        barrier = asyncio.Barrier(4)
        store = InMemoryVectorStore(WordEmbeddings())
        store.add_documents([Document(id=f"d{k}", page_content=f"Topic{k} fact.") for k in range(4)])

        async def answer(documents):
            await barrier.wait()
            return documents[0].page_content

        retriever = store.as_retriever(search_kwargs={"k": 1})
        chain = guard_chain(retriever | RunnableLambda(lambda ds: ds[0].page_content, afunc=answer), guard())
        told = {}
        chain.listener = lambda guarded: told.update({guarded.report.question: guarded.report.passages})
        await asyncio.gather(*(chain.ainvoke(f"Topic{k}?") for k in range(4)))
        return told

    assert {q: [p.id for p in ps] for q, ps in asyncio.run(main()).items()} == {
        f"Topic{k}?": [f"d{k}"] for k in range(4)
    }


def test_a_retriever_inside_another_one_does_not_count(document, retriever, guard):
    """What the inner one finds the outer one may drop."""
    from langchain_core.retrievers import BaseRetriever

    class First(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            return [document, Document(id="b", page_content="dropped")]

    class Outer(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            config = {"callbacks": run_manager.get_child()}
            return (RunnableLambda(First().invoke) | (lambda ds: ds[:1])).invoke(query, config)

    told = []
    twice = RunnableParallel(a=Outer(), b=retriever) | (lambda x: x["a"][0].page_content)
    guard_chain(twice, guard(), listener=told.append).invoke(QUESTION)
    assert [[p.id for p in guarded.report.passages] for guarded in told] == [["garage"]]


def test_documents_as_retrieved_are_taken_rather_than_their_text_in_the_output(retriever, guard):
    """Many chains format them for the prompt: ids and titles would be lost."""
    chain = RunnablePassthrough.assign(context=(lambda x: x["input"]) | retriever | str).assign(answer=lambda _: RAW)
    output = guard_chain(chain, guard()).invoke({"input": QUESTION})
    assert [(p.id, p.title) for p in output["guardrail"].report.passages] == [("garage", "Garage")]


def test_a_retriever_that_finds_nothing_is_no_mistake_of_the_caller(guard):
    """The answer is unverified then, and the policy decides."""
    chain = InMemoryVectorStore(WordEmbeddings()).as_retriever() | (lambda _: "The garage opens at 6:00.")
    assert guard_chain(chain, guard()).invoke(QUESTION).startswith("I can't")


def test_titles_come_from_what_loaders_write():
    """Readers see them, so no whole path is among them; documents that went through JSON have the same."""
    documents = [
        Document(id="a", page_content="x", metadata={"title": "Hours", "source": "/srv/hours.md"}),
        Document(id="b", page_content="x", metadata={"source": "/home/rita/hours.md"}),
        {"page_content": "x", "id": "c", "metadata": {"url": "https://example.org/hours?token=1"}},
    ]
    assert [p.title for p in to_passages(documents)] == ["Hours", "hours.md", "example.org/hours"]


def test_a_note_names_the_file_that_it_is_from():
    """Where the vector store gave a UUID, and the loader a path."""
    document = Document(
        id="3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        page_content="The garage opens at 6:00 and closes at 23:00.",
        metadata={"source": "/home/rita/garage/hours.md"},
    )
    guard = Guard(policy=Policy.annotate().with_(actions={"supported": "annotate"}))
    chain = guard_chain(RunnableLambda(lambda _: "The garage opens at 6:00."), guard, passages=lambda _: [document])
    text = chain.invoke(QUESTION)
    assert "hours.md" in text
    assert "/home" not in text
    assert "3f2504e0" not in text
