"""A chain that answers about a garage: one sentence in the middle of three is invented."""

from __future__ import annotations

import asyncio

import pytest
from guardrail_langchain.demo import WordEmbeddings
from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from guardrail import Action, Guard, Policy
from guardrail.testing import FakeEngine
from tests.support.garage import END, FACT, RAW

DOCUMENT = Document(id="garage", page_content=f"{FACT} {END}", metadata={"title": "Garage", "source": "g.md"})
STORE = InMemoryVectorStore(WordEmbeddings())
STORE.add_documents([DOCUMENT])
RETRIEVER = STORE.as_retriever(search_kwargs={"k": 1})
PROMPT = ChatPromptTemplate.from_template("{context}\nQuestion: {input}")


def _guard(action="redact", **engine):
    policy = Policy(actions={"unsupported": action}, on_exhausted=Action.BLOCK)
    return Guard(policy=policy, engine=FakeEngine({"invented": "unsupported"}, **engine))


def _model(text=RAW, **about):
    def forever():
        while True:
            yield AIMessage(content=text, **about)

    return GenericFakeChatModel(messages=forever())


def _retrieval_chain(text=RAW):
    step = PROMPT | _model(text) | StrOutputParser()
    return RunnablePassthrough.assign(context=(lambda x: x["input"]) | RETRIEVER).assign(answer=step)


def _lcel(last=None, text=RAW):
    chain = {"context": RETRIEVER | (lambda ds: ds[0].page_content), "input": RunnablePassthrough()} | PROMPT
    chain = chain | _model(text)
    return chain | last if last else chain


def _parts_of(chain, given, how="stream"):
    if how == "stream":
        return list(chain.stream(given))

    async def collect():
        return [part async for part in chain.astream(given)]

    return asyncio.run(collect())


@pytest.fixture
def document():
    return DOCUMENT


@pytest.fixture
def retriever():
    return RETRIEVER


@pytest.fixture
def prompt():
    return PROMPT


@pytest.fixture
def guard():
    return _guard


@pytest.fixture
def model():
    return _model


@pytest.fixture
def retrieval_chain():
    return _retrieval_chain


@pytest.fixture
def lcel():
    return _lcel


@pytest.fixture
def parts_of():
    return _parts_of
