"""Chat engines with a recorded model."""

import asyncio

import pytest

pytest.importorskip("llama_index.core")
from llama_index.core import SummaryIndex
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.schema import TextNode

from guardrail import Guard, Policy
from guardrail.testing import FakeEngine
from tests.support.recorded_llama import RecordedLLM

GOOD = "The dam is 64 metres high."


BAD = "The reservoir holds nine sharks."


MENDED = "The dam is 64 metres high, says the survey."


AGAIN = "previous answer was checked"


RUNS = ("chat", "achat", "stream_chat", "astream_chat")


def recorded(**more):
    return RecordedLLM(answers={AGAIN: MENDED, **more, "": f"{GOOD} {BAD}"})


def retriever():
    nodes = [TextNode(id_="n1", text=GOOD, metadata={"title": "Survey"}), TextNode(id_="n2", text="Fish live in it.")]
    return SummaryIndex(nodes).as_retriever()


def inner_engine(kind, model=None, memory=None):
    model, memory = model or recorded(), memory or ChatMemoryBuffer.from_defaults(token_limit=3000)
    if kind == "simple":
        return SimpleChatEngine.from_defaults(llm=model, memory=memory)
    if kind == "context":
        return ContextChatEngine.from_defaults(retriever(), llm=model, memory=memory)
    if kind == "condense_plus_context":
        return CondensePlusContextChatEngine.from_defaults(retriever(), llm=model, memory=memory)
    queries = SummaryIndex(retriever()._index.docstore.get_nodes(["n1", "n2"])).as_query_engine(llm=model)
    return CondenseQuestionChatEngine.from_defaults(queries, llm=model, memory=memory)


def guard_for(action):
    engine = FakeEngine({"sharks": "unsupported"})
    return Guard(policy=Policy(name="test", actions={"unsupported": action, "unverified": "allow"}), engine=engine)


def say(engine, run, message="How high is the dam?", **options):
    """One message; the delivered text and the response."""
    if run == "chat":
        response = engine.chat(message, **options)
        return str(response), response
    if run == "stream_chat":
        response = engine.stream_chat(message, **options)
        return "".join(response.response_gen), response

    async def work():
        response = await getattr(engine, run)(message, **options)
        if run == "achat":
            return str(response), response
        return "".join([text async for text in response.async_response_gen()]), response

    return asyncio.run(work())


def history(engine):
    return [(m.role.value, m.content) for m in engine.chat_history]
