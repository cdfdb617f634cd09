"""The LangGraph node and the evaluator for runs."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from typing import Annotated, TypedDict

import pytest

pytest.importorskip("langgraph")
from guardrail_langchain import guard_chain, guardrail_node
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command
from pydantic import BaseModel

from guardrail import Policy, UsageError
from guardrail.testing import FakeEngine
from tests.support.langchain_evaluated import DOCUMENT, FACT, QUESTION, RAW, RETRIEVER, guard

BLOCKED = "I can't give a reliable answer"


class Chat(TypedDict, total=False):
    messages: Annotated[list, add_messages]
    context: list
    guardrail: dict


class Plain(TypedDict, total=False):
    question: str
    documents: list
    answer: str
    draft: str
    guardrail: dict


class Model(BaseModel):
    question: str = ""
    documents: list = []
    answer: str = ""


@dataclasses.dataclass
class Data:
    question: str = ""
    documents: list = dataclasses.field(default_factory=list)
    answer: str = ""


def line(schema, *nodes, **options):
    """A graph of nodes one after the other."""
    built = StateGraph(schema)
    for number, node in enumerate(nodes):
        built.add_node(f"n{number}", node)
        built.add_edge(START if number == 0 else f"n{number - 1}", f"n{number}")
    built.add_edge(f"n{len(nodes) - 1}", END)
    return built.compile(**options)


def say(_):
    return {"messages": [AIMessage(RAW, id="run-1")]}


HOW = {
    "invoke": lambda graph, given, config=None: graph.invoke(given, config),
    "ainvoke": lambda graph, given, config=None: asyncio.run(graph.ainvoke(given, config)),
}


BOTH = pytest.mark.parametrize("how", HOW)


ASKED = {"messages": [HumanMessage(QUESTION)], "context": [DOCUMENT]}


@BOTH
@pytest.mark.parametrize("around", [False, True], ids=["after", "around"])
def test_the_delivered_message_takes_the_place_of_the_answer(around, how):
    """By its id; the state tells what was found in plain JSON."""
    engine = FakeEngine({"invented": "unsupported"})
    node = guardrail_node(guard(engine=engine), around=say if around else None)
    state = HOW[how](line(Chat, node) if around else line(Chat, say, node), ASKED)
    assert [m.type for m in state["messages"]] == ["human", "ai"]
    assert state["messages"][-1].id == "run-1"
    assert state["messages"][-1].text.startswith(BLOCKED)
    assert json.loads(json.dumps(state["guardrail"]))["action"] == "block"
    assert "invented" not in str(state)
    assert (engine.calls[0].question, engine.calls[0].passages[0].id) == (QUESTION, "garage")


def test_around_a_node_nothing_raw_is_streamed_or_kept_and_after_it_only_that_steps_own_part_is():
    """The honest difference between the two."""
    modes = ["values", "messages", "updates", "custom", "debug"]
    model = GenericFakeChatModel(messages=iter([AIMessage(RAW, id="run-1") for _ in range(9)]))

    def generate(state):
        return {"messages": [model.invoke(state["messages"])]}

    config = {"configurable": {"thread_id": "1"}}
    graph = line(Chat, guardrail_node(guard(), around=generate), checkpointer=MemorySaver())
    parts = list(graph.stream(ASKED, config, stream_mode=modes))
    assert "invented" not in str(parts) + str(list(graph.get_state_history(config)))
    assert BLOCKED in str([data for mode, data in parts if mode == "messages"])
    graph = line(Chat, generate, guardrail_node(guard()), checkpointer=MemorySaver())
    parts = list(graph.stream(ASKED, config, stream_mode=["values"]))
    assert ["invented" in str(part) for part in parts] == [False, True, False]


async def events_of(graph, given):
    return [event async for event in graph.astream_events(given, version="v2")]


def test_no_event_of_a_node_around_another_shows_what_is_withheld():
    """Tokens of a model inside it included."""
    model = GenericFakeChatModel(messages=iter([AIMessage(RAW)]))
    graph = line(Chat, guardrail_node(guard(), around=lambda state: {"messages": [model.invoke(state["messages"])]}))
    events = asyncio.run(events_of(graph, ASKED))
    assert "invented" not in str(events)
    assert BLOCKED in str(events)


def test_a_guarded_chain_inside_a_plain_node_streams_no_raw_token():
    """Its inner model is heard by none who stream, whatever graph stands around."""
    chain = guard_chain(
        {"context": RETRIEVER, "input": RunnablePassthrough()}
        | RunnableLambda(str)
        | GenericFakeChatModel(messages=iter([AIMessage(RAW, id="run-1")] * 3)),
        guard("redact"),
    )
    graph = line(Chat, lambda state: {"messages": [chain.invoke(state["messages"][-1].text)]})
    streamed = list(graph.stream(ASKED, stream_mode=["values", "messages", "updates"]))
    assert "invented" not in str(streamed) + str(asyncio.run(events_of(graph, ASKED)))
    assert FACT in str([data for mode, data in streamed if mode == "messages"])


@BOTH
@pytest.mark.parametrize("schema", [Plain, Model, Data])
def test_a_text_in_the_state_is_replaced_whatever_the_schema(schema, how):
    """TypedDict, pydantic model or dataclass."""
    graph = line(schema, lambda _: {"answer": RAW}, guardrail_node(guard("redact")))
    state = HOW[how](graph, {"question": QUESTION, "documents": [DOCUMENT]})
    assert state["answer"] == FACT
    assert ("guardrail" in state) is (schema is Plain)


@BOTH
def test_the_policy_of_one_call_may_come_in_its_config(how):
    """The graph is shared."""
    graph = line(Chat, guardrail_node(guard(), around=say))
    state = HOW[how](graph, ASKED, {"configurable": {"guardrail_policy": Policy.monitor()}})
    assert state["messages"][-1].text == RAW


def test_a_list_that_is_not_merged_by_ids_keeps_its_other_messages():
    """All of them are written back."""

    class Last(TypedDict, total=False):
        messages: list
        context: list

    given = [HumanMessage(QUESTION), AIMessage(RAW, id="run-1")]
    state = line(Last, guardrail_node(guard())).invoke({"messages": given, "context": [DOCUMENT]})
    assert [m.type for m in state["messages"]] == ["human", "ai"]
    assert "invented" not in str(state)


def test_other_values_that_repeat_the_answer_do_not_keep_it():
    """Of what the node itself writes."""
    node = guardrail_node(guard(), around=lambda _: {"answer": RAW, "draft": f"Draft: {RAW}"})
    state = line(Plain, node).invoke({"question": QUESTION, "documents": [DOCUMENT]})
    assert state["draft"].startswith(f"Draft: {BLOCKED}")


@BOTH
def test_documents_of_retrievers_inside_the_node_are_caught(how):
    """Where the state holds none."""
    told = []
    chain = (lambda state: state["question"]) | RETRIEVER | (lambda _: {"answer": RAW})
    node = guardrail_node(guard("redact"), around=chain, listener=told.append)
    assert HOW[how](line(Plain, node), {"question": QUESTION})["answer"] == FACT
    assert [p.id for p in told[0].report.passages] == ["garage"]


@BOTH
def test_what_tools_of_the_conversation_returned_is_evidence(how):
    """Where the state names no documents."""
    told = []
    given = [HumanMessage(QUESTION), ToolMessage("1 document", tool_call_id="c", artifact=[DOCUMENT])]
    node = guardrail_node(guard("redact"), around=say, listener=told.append)
    assert HOW[how](line(Chat, node), {"messages": given})["messages"][-1].text == FACT
    assert [p.id for p in told[0].report.passages] == ["garage"]


@BOTH
def test_a_node_may_go_where_it_likes(how):
    """A Command keeps its destination."""
    node = guardrail_node(guard(), around=lambda _: Command(update={"answer": RAW}, goto="n1"))
    built = StateGraph(Plain)
    built.add_node("n0", node, destinations=("n1",))
    built.add_node("n1", lambda state: {"draft": f"seen: {state['answer'][:30]}"})
    built.add_edge(START, "n0")
    state = HOW[how](built.compile(), {"question": QUESTION, "documents": [DOCUMENT]})
    assert state["draft"] == f"seen: {BLOCKED}"


@BOTH
def test_a_generator_is_asked_again_with_the_feedback(how):
    """On the state's documents."""
    asked = []
    node = guardrail_node(guard("regenerate"), answer="answer", regenerate=lambda given: asked.append(given) or FACT)
    state = HOW[how](line(Plain, lambda _: {"answer": RAW}, node), {"question": QUESTION, "documents": [DOCUMENT]})
    assert (state["answer"], state["guardrail"]["attempts"]) == (FACT, 2)
    assert asked[0]["passages"] == [DOCUMENT]


def test_a_message_that_calls_tools_and_a_node_that_says_nothing_pass():
    """They are no answers."""
    call = AIMessage(RAW, tool_calls=[{"name": "search", "args": {}, "id": "c"}])
    for update in ({"messages": [call]}, {}, None):
        engine = FakeEngine()
        line(Chat, guardrail_node(guard(engine=engine), around=lambda _, u=update: u)).invoke(ASKED)
        assert engine.calls == []


@pytest.mark.parametrize(
    ("node", "given", "message"),
    [
        ({}, {"question": QUESTION}, r"no answer in the state \(keys \['question'\]\)"),
        ({"answer": "answer"}, {"answer": FACT}, r"no passages in .*\['answer'\]"),
    ],
)
def test_what_the_state_lacks_is_named(node, given, message):
    """As in chains."""
    with pytest.raises(UsageError, match=message):
        line(Plain, guardrail_node(guard(), **node)).invoke(given)


def test_wrong_options_of_a_node_are_refused():
    with pytest.raises(UsageError, match="guard must be a Guard, got str"):
        guardrail_node("strict")
    with pytest.raises(UsageError, match="cannot make its answer again"):
        guardrail_node(guard(), regenerate=True)


def test_what_a_node_misses_is_told_in_its_own_name():
    """Not as a matter of guard_chain."""
    node = guardrail_node(guard("flag"))
    with pytest.raises(
        UsageError, match=r"no passages in the state .*Pass passages=<key or function> to guardrail_node"
    ):
        node.invoke({"question": QUESTION, "answer": RAW})
    named = guardrail_node(guard("flag"), question="topic")
    with pytest.raises(UsageError, match=r"no question in the state .*to guardrail_node"):
        named.invoke({"question": QUESTION, "answer": RAW, "documents": [FACT]})
