"""Spans of guarded LlamaIndex engines that OpenInference's instrumentation traces, and of ones that nothing does."""

import asyncio
import logging

import pytest

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("llama_index.core")

from guardrail_llamaindex import GuardedChatEngine, GuardedQueryEngine
from llama_index.core import SummaryIndex
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.schema import TextNode

from guardrail import Guard, Policy
from guardrail.telemetry import labels
from guardrail.testing import FakeEngine
from tests.support.recorded_llama import RecordedLLM

# The instrumentation reads settings of models in a way that pydantic wants to drop.
pytestmark = pytest.mark.filterwarnings("ignore:The `json` method is deprecated")

GOOD = "The dam is 64 metres high."
BAD = "The reservoir holds nine sharks."
REPAIR = Policy(name="again", actions={"unsupported": "regenerate"})


@pytest.fixture
def traced(watched, caplog):
    """The service has started the instrumentation, which has nothing to complain of."""
    instrumentation = pytest.importorskip("openinference.instrumentation.llama_index")
    instrumentor = instrumentation.LlamaIndexInstrumentor()
    instrumentor.instrument(tracer_provider=watched.tracers)
    with caplog.at_level(logging.WARNING, logger="openinference"):
        yield watched
    instrumentor.uninstrument()
    assert [record for record in caplog.get_records("call") if record.name.startswith("openinference")] == []


def index():
    return SummaryIndex([TextNode(id_="n1", text=GOOD)])


def guard(watched, policy=None):
    engine = FakeEngine({"sharks": "unsupported"})
    return Guard(policy=policy or Policy.monitor(), engine=engine, telemetry=watched.settings)


def queries(watched, mode="buffer", *, streaming=False, policy=None, **answers):
    model = RecordedLLM(answers={**answers, "": GOOD})
    return GuardedQueryEngine(
        index().as_query_engine(llm=model, streaming=streaming), guard(watched, policy), mode=mode
    )


def chats(watched, mode="buffer"):
    memory = ChatMemoryBuffer.from_defaults(token_limit=3000)
    model = RecordedLLM(answers={"": GOOD})
    engine = ContextChatEngine.from_defaults(index().as_retriever(), llm=model, memory=memory)
    return GuardedChatEngine(engine, guard(watched), mode=mode)


async def _read(response):
    return "".join([text async for text in response.async_response_gen()])


async def _aquery(engine):
    return str(await engine.aquery("How high?"))


async def _astream(engine):
    return await _read(await engine.aquery("How high?"))


async def _achat(engine):
    return str(await engine.achat("How high?"))


async def _astream_chat(engine):
    return await _read(await engine.astream_chat("How high?"))


WAYS = {
    "query": (lambda w: str(queries(w).query("How high?")), "GuardedQueryEngine._query"),
    "aquery": (lambda w: asyncio.run(_aquery(queries(w))), "GuardedQueryEngine._aquery"),
    "stream": (lambda w: str(queries(w, streaming=True).query("How high?")), "GuardedQueryEngine._query"),
    "sentence": (
        lambda w: str(queries(w, "sentence", streaming=True).query("How high?")),
        "GuardedQueryEngine._query",
    ),
    "astream": (
        lambda w: asyncio.run(_astream(queries(w, "sentence", streaming=True))),
        "GuardedQueryEngine._aquery",
    ),
    "chat": (lambda w: str(chats(w).chat("How high?")), "GuardedChatEngine.chat"),
    "achat": (lambda w: asyncio.run(_achat(chats(w))), "GuardedChatEngine.achat"),
    "stream_chat": (
        lambda w: "".join(chats(w, "sentence").stream_chat("How high?").response_gen),
        "GuardedChatEngine.stream_chat",
    ),
    "astream_chat": (lambda w: asyncio.run(_astream_chat(chats(w))), "GuardedChatEngine.astream_chat"),
}


def by_id(watched, span_id):
    return next((span for span in watched.spans() if span.context.span_id == span_id), None)


@pytest.mark.parametrize("way", WAYS)
def test_the_check_hangs_under_the_engine_and_its_event_under_the_model(way, traced):
    """One guardrail.check, in the trace of the query, also where a stream is read after the query has returned."""
    call, above = WAYS[way]
    assert call(traced) == GOOD
    (check,) = traced.spans("guardrail.check")
    assert check.attributes["openinference.span.kind"] == "GUARDRAIL"
    assert by_id(traced, check.parent.span_id).name == above
    (event,) = traced.events()
    assert event.trace_id == check.context.trace_id
    writer = by_id(traced, event.span_id)
    assert writer.attributes["openinference.span.kind"] == "LLM"
    assert writer.name.startswith("RecordedLLM.")
    assert GOOD in writer.attributes["output.value"]


@pytest.mark.parametrize("way", ["query", "aquery", "sentence", "chat", "stream_chat"])
def test_without_an_instrumentation_the_check_hangs_under_the_services_own_span(way, watched):
    """And its event under the check."""
    with watched.tracers.get_tracer("service").start_as_current_span("request"):
        assert WAYS[way][0](watched) == GOOD
    (check,) = watched.spans("guardrail.check")
    (request,) = watched.spans("request")
    assert check.parent.span_id == request.context.span_id
    assert {span.name.partition(".")[0] for span in watched.spans()} == {"guardrail", "request"}
    (event,) = watched.events()
    assert event.span_id == check.context.span_id


def test_a_stream_read_after_the_request_is_still_in_its_trace(watched):
    """A web framework's response body is read when the handler has returned."""
    with watched.tracers.get_tracer("service").start_as_current_span("request"):
        response = queries(watched, "sentence", streaming=True).query("How high?")
    assert str(response) == GOOD
    (check,) = watched.spans("guardrail.check")
    assert check.parent.span_id == watched.spans("request")[0].context.span_id


def test_a_streams_labels_are_those_of_the_query(watched):
    with labels(topic="billing"):
        response = queries(watched, "sentence", streaming=True).query("How high?")
    assert str(response) == GOOD
    assert watched.spans("guardrail.check")[0].attributes["guardrail.label.topic"] == "billing"


def test_a_new_answer_is_written_under_guardrail_regenerate(traced):
    """By the model of the engine, whose spans hang under the step that asked for it."""
    engine = queries(traced, policy=REPAIR, sharks=GOOD, high=f"{GOOD} {BAD}")
    assert str(engine.query("How high?")) == GOOD
    (check,) = traced.spans("guardrail.check")
    (again,) = traced.spans("guardrail.regenerate")
    assert again.parent.span_id == check.context.span_id
    assert traced.children(again) == ["CompactAndRefine.synthesize"]
    assert len(traced.spans("RecordedLLM.complete")) == 2
    (event,) = traced.events()
    assert event.attributes["gen_ai.evaluation.score.label"] == "unsupported"
    assert BAD in by_id(traced, event.span_id).attributes["output.value"]


def test_two_queries_at_once_do_not_mix(traced):
    """Each event under the model's call of its own query."""

    async def both():
        engine = queries(traced)
        await asyncio.gather(*(engine.aquery("How high?") for _ in range(4)))

    asyncio.run(both())
    written = {e.trace_id: by_id(traced, e.span_id).context.trace_id for e in traced.events()}
    assert len(written) == 4
    assert all(ours == theirs for ours, theirs in written.items())
