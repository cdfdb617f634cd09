"""Chains for nodes and evaluators."""

from __future__ import annotations

import pytest

pytest.importorskip("langgraph")
from guardrail_langchain.demo import WordEmbeddings
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from guardrail import Action, Guard, Policy
from guardrail.testing import FakeEngine

FACT, INVENTED = "The garage opens at 6:00.", "Parking was invented by a duke."


RAW = f"{FACT} {INVENTED}"


QUESTION = "When does the garage open?"


DOCUMENT = Document(id="garage", page_content=FACT, metadata={"title": "Garage"})


RETRIEVER = InMemoryVectorStore(WordEmbeddings())
RETRIEVER.add_documents([DOCUMENT])
RETRIEVER = RETRIEVER.as_retriever(search_kwargs={"k": 1})


def guard(action="block", engine=None):
    engine = engine or FakeEngine({"invented": "unsupported"})
    return Guard(policy=Policy(actions={"unsupported": action}, on_exhausted=Action.BLOCK), engine=engine)
