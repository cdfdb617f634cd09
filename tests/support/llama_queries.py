"""Query engines with a recorded model."""

import asyncio

import pytest

pytest.importorskip("llama_index.core")
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.base.response.schema import (
    AsyncStreamingResponse,
    PydanticResponse,
    StreamingResponse,
)
from llama_index.core.query_engine import CustomQueryEngine
from llama_index.core.schema import NodeWithScore, TextNode
from pydantic import BaseModel

from guardrail import Guard, Policy
from guardrail.testing import FakeEngine
from tests.support.recorded_llama import RecordedLLM

TEXT = "The walkway on top of Larkmoor Dam is open from 9:00 to 17:00 between April and October."


GOOD = "The dam is 64 metres high."


BAD = "The reservoir holds nine sharks."


MENDED = "The dam is 64 metres high, says the survey."


AGAIN = "previous answer was checked"


RUNS = ("query", "aquery", "stream", "astream")


def fixture_nodes():
    first = TextNode(id_="n1", text=TEXT, metadata={"title": "Larkmoor Dam"})
    second = TextNode(id_="n2", text=GOOD, metadata={"title": 7})
    return [NodeWithScore(node=first, score=1.0), NodeWithScore(node=second, score=0.5)]


def llm(answer=f"{GOOD} {BAD}", again=MENDED):
    return RecordedLLM(answers={AGAIN: again, "": answer})


def inner_engine(model=None, streaming=False):
    """A real index and a real RetrieverQueryEngine."""
    documents = [Document(text=TEXT, doc_id="d1"), Document(text=GOOD, doc_id="d2")]
    index = VectorStoreIndex.from_documents(documents, embed_model=MockEmbedding(embed_dim=4))
    return index.as_query_engine(llm=model or llm(), streaming=streaming, similarity_top_k=2)


def guard_for(action, **options):
    engine = FakeEngine({"sharks": "unsupported"})
    return Guard(policy=Policy(name="test", actions={"unsupported": action}, **options), engine=engine)


def drained(response):
    """The text of any response, through its own iterator where it has one."""
    if isinstance(response, StreamingResponse):
        return "".join(response.response_gen)
    if isinstance(response, AsyncStreamingResponse):
        return asyncio.run(joined(response))
    return str(response)


async def joined(response):
    return "".join([text async for text in response.async_response_gen()])


def ask(engine, run, question="How high is the dam?"):
    """One query; the delivered text and the response."""
    if run in ("query", "stream"):
        response = engine.query(question)
        return drained(response), response

    async def work():
        response = await engine.aquery(question)
        return (await joined(response) if isinstance(response, AsyncStreamingResponse) else str(response)), response

    return asyncio.run(work())


class Height(BaseModel):
    """A structured answer."""

    says: str
    metres: int
    more: list[str] = []


class Structured(CustomQueryEngine):
    """Answers with an object."""

    answer: Height

    def custom_query(self, query_str):
        return PydanticResponse(self.answer, fixture_nodes(), {"kept": 1})
