"""Where answer, documents and question are."""

from __future__ import annotations

from dataclasses import replace
from typing import TypedDict

import pytest
from guardrail_langchain import guard_chain
from langchain_core.runnables import (
    RunnableLambda,
)

from guardrail import GuardedAnswer, Policy, UsageError
from tests.support.garage import END, FACT, QUESTION, RAW


def test_documents_and_policy_of_one_call_may_come_in_its_config(document, guard):
    """The object is shared; the config belongs to the call."""
    chain = guard_chain(RunnableLambda(lambda _: RAW), guard("block"))
    config = {"configurable": {"documents": [document]}}
    assert chain.invoke(QUESTION, config).startswith("I can't")
    config["configurable"]["guardrail_policy"] = Policy.monitor()
    assert chain.invoke(QUESTION, config) == RAW
    assert "".join(chain.stream(QUESTION, config)) == RAW
    named = guard_chain(RunnableLambda(lambda _: {"answer": RAW, "docs": ["?"]}), guard(), passages="docs")
    assert [p.id for p in named.invoke(QUESTION, config)["guardrail"].report.passages] == ["garage"]
    config["configurable"]["guardrail_policy"] = "monitor"
    with pytest.raises(UsageError, match="no policy 'monitor'"):
        chain.invoke(QUESTION, config)


def test_the_policy_of_one_call_may_be_named_in_its_config(document, guard):
    """A config that comes over the wire holds texts."""
    tenants = replace(guard(), policies={"tenant-a": Policy.strict(), "tenant-b": Policy.monitor()})
    chain = guard_chain(RunnableLambda(lambda _: RAW), tenants)
    config = {"configurable": {"documents": [document], "guardrail_policy": "tenant-a"}}
    assert chain.invoke(QUESTION, config).startswith("I can't")
    config["configurable"]["guardrail_policy"] = "tenant-b"
    assert "".join(chain.stream(QUESTION, config)) == RAW


MESSAGES = {
    "none": {},
    "key": {"answer": "messages"},
    "function": {"answer": lambda state: state["messages"][-1].content},
    "with documents": {"passages": lambda _: ["x"]},
}


@pytest.mark.parametrize("options", MESSAGES.values(), ids=MESSAGES)
@pytest.mark.parametrize("form", ["agent", "sequence", "configured"])
def test_an_agent_is_refused_at_once_with_what_to_do(options, form, guard, model):
    """One message that names the middleware, not one after the other of which none does."""
    agents = pytest.importorskip("langchain.agents", reason="agents need langchain 1.x")
    agent = agents.create_agent(model(), [])
    form = {
        "agent": agent,
        "sequence": RunnableLambda(lambda question: {"messages": [("user", question)]}) | agent,
        "configured": agent.with_config(tags=["x"]).with_retry(),
    }[form]
    with pytest.raises(UsageError, match=r"agent.*create_agent\(.*middleware=\[GuardrailMiddleware\(guard\)\]"):
        guard_chain(form, guard(), **options)


def test_a_graph_with_an_answer_of_its_own_is_a_chain(guard, document):
    """Though it has messages, too."""
    graphs = pytest.importorskip("langgraph.graph")

    class State(TypedDict):
        messages: list
        answer: str
        context: list

    graph = graphs.StateGraph(State).add_node("say", lambda _: {"answer": RAW, "context": [document]})
    chain = guard_chain(graph.add_edge(graphs.START, "say").compile(), guard())
    assert chain.invoke({"messages": [("user", QUESTION)]})["answer"] == f"{FACT} {END}"


SHAPES = {
    "RetrievalQA": lambda document: {"query": QUESTION, "result": RAW, "source_documents": [document]},
    "conversational": lambda document: {
        "question": QUESTION,
        "answer": RAW,
        "source_documents": [document],
        "generated_question": "?",
    },
    "with_sources": lambda document: {
        "question": QUESTION,
        "answer": RAW,
        "sources": "g.md",
        "source_documents": [document],
    },
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_outputs_of_the_older_chains_are_read_and_kept(shape, document, guard):
    """All keys stay; documents keep their metadata for citations."""
    output = shape(document)
    chain = guard_chain(RunnableLambda(lambda _: dict(output)), guard())
    given = chain.invoke({"query": QUESTION})
    key = "result" if "result" in output else "answer"
    assert isinstance(given["guardrail"], GuardedAnswer)
    assert {k: v for k, v in given.items() if k not in (key, "guardrail")} == {
        k: v for k, v in output.items() if k != key
    }
    assert given[key] == f"{FACT} {END}"
    assert given["guardrail"].report.question == QUESTION
    assert [p.title for p in given["guardrail"].report.passages] == ["Garage"]
