"""Spans of a guarded LangChain application that OpenInference's instrumentation traces, and of one that nothing does."""

import asyncio
import sys
from typing import TypedDict

import pytest

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("langchain")

from guardrail_langchain import GuardrailMiddleware, guard_chain, guardrail_node
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.tools import tool
from langgraph.graph import END, START, StateGraph

from guardrail import Guard, Policy
from guardrail.testing import FakeEngine

# The instrumentation reads messages in a way that LangChain wants to drop.
pytestmark = pytest.mark.filterwarnings("ignore:Calling .text")

INSTRUMENTATION = "openinference.instrumentation.langchain"
GOOD = "The bridge opened in 1932."
BAD = "The bridge is green."
REPAIR = Policy(name="again", actions={"unsupported": "regenerate"})


class Model(BaseChatModel):
    """Says one thing after another; ids as OpenAI gives them."""

    says: list
    asked: list = []  # noqa: RUF012  a pydantic field

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **_):
        return self

    def _generate(self, messages, *_, **__):
        self.asked.append(messages)
        said = self.says[len(self.asked) - 1]
        message = AIMessage(said) if isinstance(said, str) else said.model_copy()
        message.response_metadata = {"id": f"chatcmpl-{len(self.asked)}"}
        return ChatResult(generations=[ChatGeneration(message=message)])


@tool(response_format="content_and_artifact")
def look(topic: str):
    """Look something up."""
    return GOOD, [Document(GOOD, id="d1", metadata={"topic": topic})]


class State(TypedDict, total=False):
    """Of a graph."""

    input: str
    context: list
    answer: str


@pytest.fixture
def traced(watched):
    """The service has started the instrumentation."""
    instrumentor = pytest.importorskip(INSTRUMENTATION).LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=watched.tracers)
    yield watched
    instrumentor.uninstrument()


def guard(watched, policy=None, **settings):
    engine = FakeEngine({"green": "unsupported"})
    return Guard(policy=policy or Policy.monitor(), engine=engine, telemetry=watched.set_up(**settings))


def rag(*says):
    prompt = ChatPromptTemplate.from_template("{context} {input}")
    answer = prompt | Model(says=list(says), asked=[]) | StrOutputParser()
    return RunnablePassthrough.assign(context=lambda _: [Document(GOOD, id="d1")]).assign(answer=answer)


def agent(checks, *says, **options):
    calls = AIMessage("", tool_calls=[{"name": "look", "args": {"topic": "bridge"}, "id": "1"}])
    return create_agent(
        Model(says=[calls, *says], asked=[]), [look], middleware=[GuardrailMiddleware(checks, **options)]
    )


def graph(checks, *says, around):
    builder = StateGraph(State)
    if around:
        builder.add_node("answer", guardrail_node(checks, around=rag(*says)))
        builder.add_edge("answer", END)
    else:
        builder.add_node("answer", rag(*says))
        builder.add_node("check", guardrail_node(checks))
        builder.add_edge("answer", "check")
        builder.add_edge("check", END)
    builder.add_edge(START, "answer")
    return builder.compile()


async def _read(chunks):
    return [chunk async for chunk in chunks]


ASKED = {"input": "When?"}
TOLD = {"messages": [("user", "When?")]}
WAYS = {
    "invoke": (lambda g: guard_chain(rag(GOOD), g).invoke(ASKED), "GuardedChain"),
    "ainvoke": (lambda g: asyncio.run(guard_chain(rag(GOOD), g).ainvoke(ASKED)), "GuardedChain"),
    "stream": (lambda g: list(guard_chain(rag(GOOD), g).stream(ASKED)), "GuardedChain"),
    "sentence": (lambda g: list(guard_chain(rag(GOOD), g, mode="sentence").stream(ASKED)), "GuardedChain"),
    "astream": (lambda g: asyncio.run(_read(guard_chain(rag(GOOD), g).astream(ASKED))), "GuardedChain"),
    "agent": (lambda g: agent(g, GOOD).invoke(TOLD), "model"),
    "aagent": (lambda g: asyncio.run(agent(g, GOOD).ainvoke(TOLD)), "model"),
    "node": (lambda g: graph(g, GOOD, around=False).invoke(ASKED), "guardrail"),
    "around": (lambda g: graph(g, GOOD, around=True).invoke(ASKED), "guardrail"),
    "anode": (lambda g: asyncio.run(graph(g, GOOD, around=True).ainvoke(ASKED)), "guardrail"),
}


def parent(watched, span):
    return next((s for s in watched.spans() if span.parent and s.context.span_id == span.parent.span_id), None)


@pytest.mark.parametrize("way", WAYS)
def test_the_check_hangs_under_the_run_and_its_event_under_the_model(way, traced):
    """One trace and one guardrail.check, whatever the way to ask; the event names the span that wrote the answer."""
    call, above = WAYS[way]
    call(guard(traced))
    (check,) = traced.spans("guardrail.check")
    assert parent(traced, check).name == above
    assert check.attributes["guardrail.verdict"] == "supported"
    assert len({span.context.trace_id for span in traced.spans()}) == 1
    (event,) = traced.events()
    assert event.trace_id == check.context.trace_id
    if way == "node":  # the model ran in the node before
        assert event.span_id == check.context.span_id
        return
    writer = next(span for span in traced.spans() if span.context.span_id == event.span_id)
    assert (writer.name, writer.attributes["openinference.span.kind"]) == ("Model", "LLM")
    assert GOOD in writer.attributes["output.value"]
    assert event.attributes["gen_ai.response.id"] == ("chatcmpl-2" if "agent" in way else "chatcmpl-1")


@pytest.mark.parametrize("call", [WAYS["invoke"][0], WAYS["ainvoke"][0], WAYS["stream"][0], WAYS["agent"][0]])
def test_without_an_instrumentation_the_check_hangs_under_the_services_own_span(call, watched):
    """And under nothing where there is none."""
    with watched.tracers.get_tracer("service").start_as_current_span("request"):
        call(guard(watched))
    (check,) = watched.spans("guardrail.check")
    (request,) = watched.spans("request")
    assert check.parent.span_id == request.context.span_id
    assert {span.name.partition(".")[0] for span in watched.spans()} == {"guardrail", "request"}
    (event,) = watched.events()
    assert event.span_id == check.context.span_id


def test_an_instrumentation_that_was_only_imported_is_left_alone(watched, capsys):
    """It would print a complaint when asked."""
    pytest.importorskip(INSTRUMENTATION)
    assert INSTRUMENTATION in sys.modules
    WAYS["invoke"][0](guard(watched))
    assert capsys.readouterr().out == ""
    assert watched.spans("guardrail.check")[0].parent is None


def test_one_of_several_models_wrote_the_answer(traced):
    """A chain that condenses the question first: the event hangs under the call whose text is the answer."""
    condense = Model(says=["When did it open?"], asked=[]) | StrOutputParser() | RunnableLambda(lambda q: {"input": q})
    guard_chain(condense | rag(GOOD), guard(traced)).invoke("And the bridge?")
    (event,) = traced.events()
    writer = next(span for span in traced.spans() if span.context.span_id == event.span_id)
    assert GOOD in writer.attributes["output.value"]


def test_an_answer_that_no_single_model_wrote_has_its_event_under_the_check(traced):
    """Nothing is guessed."""
    both = Model(says=["The bridge"], asked=[]) | StrOutputParser()
    rest = Model(says=["opened in 1932."], asked=[]) | StrOutputParser()
    joined = RunnablePassthrough.assign(context=lambda _: [Document(GOOD)]).assign(
        answer=RunnableLambda(lambda given: f"{both.invoke('?')} {rest.invoke('?')} {given['input'][:0]}".strip())
    )
    output = guard_chain(joined, guard(traced)).invoke(ASKED)
    assert output["answer"] == GOOD
    (event,) = traced.events()
    assert event.span_id == traced.spans("guardrail.check")[0].context.span_id


def test_a_new_answer_is_written_in_the_same_trace(traced):
    """The second call of the model is seen once. The event tells of the first answer, and hangs under its call."""
    output = guard_chain(rag(BAD, GOOD), guard(traced, REPAIR), regenerate=True).invoke(ASKED)
    assert output["answer"] == GOOD
    assert len(traced.spans("Model")) == 2
    (check,) = traced.spans("guardrail.check")
    assert {"guardrail.regenerate", "guardrail.recheck"} <= set(traced.children(check))
    assert check.attributes["guardrail.attempts"] == 2
    (event,) = traced.events()
    assert event.attributes["gen_ai.evaluation.score.label"] == "unsupported"
    writer = next(span for span in traced.spans() if span.context.span_id == event.span_id)
    assert BAD in writer.attributes["output.value"]
    assert len({span.context.trace_id for span in traced.spans()}) == 1


def test_concurrent_calls_of_one_chain_do_not_mix(traced):
    """Each check under its own run, each event under its own model."""
    chain = guard_chain(rag(*[GOOD] * 8), guard(traced))
    chain.batch([ASKED] * 8, {"max_concurrency": 4})
    checks = traced.spans("guardrail.check")
    assert len(checks) == len({check.context.trace_id for check in checks}) == 8
    models = {span.context.span_id: span.context.trace_id for span in traced.spans("Model")}
    assert sorted(models) == sorted(event.span_id for event in traced.events())
    assert all(models[event.span_id] == event.trace_id for event in traced.events())


DETACHED = {
    "invoke": lambda g: guard_chain(rag(BAD, BAD), g, hide_from="all", regenerate=True).invoke(ASKED),
    "ainvoke": lambda g: asyncio.run(guard_chain(rag(BAD, BAD), g, hide_from="all", regenerate=True).ainvoke(ASKED)),
    "stream": lambda g: list(guard_chain(rag(BAD), g, hide_from="all", mode="sentence").stream(ASKED)),
    "astream": lambda g: asyncio.run(_read(guard_chain(rag(BAD), g, hide_from="all").astream(ASKED))),
    "agent": lambda g: agent(g, BAD, BAD, hide_from="all").invoke(TOLD),
    "aagent": lambda g: asyncio.run(agent(g, BAD, BAD, hide_from="all").ainvoke(TOLD)),
    "node": lambda g: guardrail_node(g, around=rag(BAD), hide_from="all").invoke(ASKED),
    "anode": lambda g: asyncio.run(guardrail_node(g, around=rag(BAD), hide_from="all").ainvoke(ASKED)),
}


@pytest.mark.parametrize("way", DETACHED)
def test_with_detach_no_span_holds_an_answer_that_was_withheld(way, traced):
    """Runs inside have no spans, also those that write an answer anew; the guard's stages have theirs."""
    DETACHED[way](guard(traced, REPAIR))  # blocks where no new answer is better
    told = [(dict(span.attributes), [dict(event.attributes) for event in span.events]) for span in traced.spans()]
    assert "green" not in str(told)
    (check,) = traced.spans("guardrail.check")
    assert check.attributes["guardrail.verdict"] == "unsupported"
    assert {"guardrail.verify", "guardrail.decide"} <= set(traced.children(check))


def test_a_guard_in_a_suppressed_context_makes_no_span(traced):
    """Whoever asks instrumentations to be quiet means ours too; the answer is checked all the same."""
    from openinference.instrumentation import suppress_tracing

    with suppress_tracing():
        output = guard_chain(rag(BAD), guard(traced, Policy.strict())).invoke(ASKED)
    assert output["guardrail"].report.verdict == "unsupported"
    assert traced.spans() == []
    assert traced.count("guardrail.check.duration") == 1
