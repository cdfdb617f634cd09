"""Events and spans of the guard on LlamaIndex's dispatcher: what they tell, and that they tell no text."""

import asyncio

import pytest

pytest.importorskip("llama_index.core")

from guardrail_llamaindex import (
    GuardedChatEngine,
    GuardedQueryEngine,
    GuardrailCheckEndEvent,
    GuardrailCheckStartEvent,
)
from guardrail_llamaindex.events import dispatcher
from llama_index.core import SummaryIndex
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.span_handlers import SimpleSpanHandler
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.schema import TextNode

from guardrail import Guard, Policy
from guardrail.testing import FakeEngine
from tests.support.recorded_llama import RecordedLLM

GOOD = "The dam is 64 metres high."
BAD = "The reservoir holds nine sharks."


class Events(BaseEventHandler):
    """Keeps all events."""

    events: list = []  # noqa: RUF012  a pydantic field

    def handle(self, event, **kwargs):
        self.events.append(event)


@pytest.fixture
def heard():
    handler, spans = Events(events=[]), SimpleSpanHandler()
    dispatcher.add_event_handler(handler)
    dispatcher.add_span_handler(spans)
    yield handler.events, spans
    dispatcher.event_handlers.remove(handler)
    dispatcher.span_handlers.remove(spans)


def index():
    return SummaryIndex([TextNode(id_="n1", text=GOOD)])


def guard(action="redact"):
    return Guard(
        policy=Policy(name="test", actions={"unsupported": action}), engine=FakeEngine({"sharks": "unsupported"})
    )


def model():
    return RecordedLLM(answers={"": f"{GOOD} {BAD}"})


async def gathered(response):
    return "".join([text async for text in response.async_response_gen()])


def run_query(run, mode):
    engine = GuardedQueryEngine(
        index().as_query_engine(llm=model(), streaming="stream" in run), guard(), mode=mode, hide_from="all"
    )
    if run in ("query", "stream"):
        return str(engine.query("How high?"))

    async def work():
        response = await engine.aquery("How high?")
        return await gathered(response) if run == "astream" else str(response)

    return asyncio.run(work())


def run_chat(run, mode):
    inner = ContextChatEngine.from_defaults(
        index().as_retriever(), llm=model(), memory=ChatMemoryBuffer.from_defaults(token_limit=3000)
    )
    engine = GuardedChatEngine(inner, guard(), mode=mode, hide_from="all")
    if run == "chat":
        return str(engine.chat("How high?"))
    if run == "stream_chat":
        return "".join(engine.stream_chat("How high?").response_gen)

    async def work():
        response = await getattr(engine, run)("How high?")
        return await gathered(response) if run == "astream_chat" else str(response)

    return asyncio.run(work())


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
@pytest.mark.parametrize(
    "run", ["query", "aquery", "stream", "astream", "chat", "achat", "stream_chat", "astream_chat"]
)
def test_one_start_and_one_end_without_text(run, mode, heard):
    """Whatever the way to ask: both events come once, in order, and hold verdict and action but no words."""
    events, spans = heard
    text = run_chat(run, mode) if "chat" in run else run_query(run, mode)
    assert text == GOOD
    assert [type(event) for event in events] == [GuardrailCheckStartEvent, GuardrailCheckEndEvent]
    end = events[1]
    told = (end.kind, end.verdict, end.action, end.rule, end.policy, end.engine, end.findings, end.attempts)
    kind = "chat" if "chat" in run else "query"
    assert told == (kind, "unsupported", "redact", "unsupported", "test", "fake", 2, 1)
    assert 0.0 <= end.score < 0.5
    assert not end.exhausted
    for words in ("sharks", "64 metres", "How high"):
        assert words not in repr([event.model_dump() for event in events])
        assert words not in repr(spans.completed_spans)
    assert end.class_name() == "GuardrailCheckEndEvent"


@pytest.mark.parametrize("run", ["query", "aquery"])
def test_a_span_around_the_check(run, heard):
    """The check has a span of its own, which both events belong to."""
    events, spans = heard
    run_query(run, "buffer")
    ours = [span for span in spans.completed_spans if span.id_.startswith("guardrail.check-")]
    assert len(ours) == 1
    assert {event.span_id for event in events} == {ours[0].id_}
    assert ours[0].parent_id is not None
    assert spans.open_spans == {}


def test_a_check_that_raises_drops_its_span(heard):
    """A caller's mistake leaves no span open."""

    class Awaited:
        name = "awaited"

        async def averify(self, request):
            raise NotImplementedError

    events, spans = heard
    engine = GuardedQueryEngine(index().as_query_engine(llm=model()), Guard(engine=Awaited()))
    with pytest.raises(ValueError, match="await"):
        engine.query("How high?")
    assert spans.open_spans == {}
    assert [type(event) for event in events][:1] == [GuardrailCheckStartEvent]
    assert not any(isinstance(event, GuardrailCheckEndEvent) for event in events)
