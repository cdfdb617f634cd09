"""A retriever that hangs inside a query or chat engine: ``answer_timeout`` ends the wait, with the policy's refusal."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedChatEngine, GuardedQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, TextNode

from guardrail import Action, Cause, Guard, Policy
from guardrail.repair.edits import TIMED_OUT
from guardrail.testing import FakeEngine
from guardrail.wrap.time_limit import NoAnswerInTime
from tests.support.recorded_llama import RecordedLLM

pytestmark = pytest.mark.clock

GOOD = "The dam is 64 metres high."


class Hanging(BaseRetriever):
    """Waits for ``end``."""

    def __init__(self, end):
        super().__init__()
        self.end = end

    def _retrieve(self, query_bundle):
        self.end.wait(60)
        return [NodeWithScore(node=TextNode(text=GOOD))]

    async def _aretrieve(self, query_bundle):
        while not self.end.is_set():  # noqa: ASYNC110  a threading.Event
            await asyncio.sleep(0.01)
        return [NodeWithScore(node=TextNode(text=GOOD))]


@pytest.fixture
def end():
    event = Event()
    yield event
    event.set()


def guard():
    return Guard(policy=Policy.strict(), engine=FakeEngine())


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("how", ["query", "aquery"])
def test_a_hanging_retriever_ends_a_query_in_the_refusal(end, how, streaming):
    """A Response, with what the guard says in its metadata; once it answers in time, its answer is delivered."""
    inner = RetrieverQueryEngine.from_args(Hanging(end), llm=RecordedLLM(answers={"": GOOD}), streaming=streaming)
    engine = GuardedQueryEngine(inner, guard(), answer_timeout=0.2)
    call = lambda question: engine.query(question) if how == "query" else asyncio.run(engine.aquery(question))  # noqa: E731
    response = call("How high is the dam?")
    found = response.metadata["guardrail"]
    assert (str(response), response.source_nodes) == (TIMED_OUT["en"], [])
    assert (found.action, found.report.findings[0].cause) == (Action.BLOCK, Cause.TIMEOUT)
    assert found.report.question == "How high is the dam?"
    end.set()
    if not streaming:
        engine = GuardedQueryEngine(inner, guard(), answer_timeout=60)
        assert str(call("How high is the dam?")) == GOOD


@pytest.mark.parametrize("how", ["chat", "achat"])
def test_a_hanging_retriever_ends_a_turn_in_the_refusal(end, how):
    """What the engine says later is not heard, nor kept."""
    memory = ChatMemoryBuffer.from_defaults(token_limit=3000)
    inner = ContextChatEngine.from_defaults(Hanging(end), llm=RecordedLLM(answers={"": GOOD}), memory=memory)
    engine = GuardedChatEngine(inner, guard(), answer_timeout=0.2)
    call = lambda message: engine.chat(message) if how == "chat" else asyncio.run(engine.achat(message))  # noqa: E731
    response = call("How high is the dam?")
    assert str(response) == TIMED_OUT["en"]
    assert response.metadata["guardrail"].report.findings[0].cause is Cause.TIMEOUT
    assert engine.chat_history == []
    end.set()
    engine = GuardedChatEngine(inner, guard(), answer_timeout=60)
    assert str(call("How high is it?")) == GOOD
    assert [message.content for message in engine.chat_history] == ["How high is it?", GOOD]


def test_a_chat_stream_that_does_not_begin_raises(end):
    """There is no stream to deliver a refusal in."""
    memory = ChatMemoryBuffer.from_defaults(token_limit=3000)
    inner = ContextChatEngine.from_defaults(Hanging(end), llm=RecordedLLM(answers={"": GOOD}), memory=memory)
    with pytest.raises(NoAnswerInTime, match=r"within 0\.2 s"):
        GuardedChatEngine(inner, guard(), answer_timeout=0.2).stream_chat("How high is the dam?")
