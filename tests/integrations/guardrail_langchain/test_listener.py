"""A listener hears of every answer, and cannot spoil one."""

from __future__ import annotations

import asyncio
import logging

import guardrail_langchain
import pytest
from guardrail_langchain import guard_chain, guardrail_node
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda

from guardrail import UsageError
from tests.support.garage import END, FACT, QUESTION, RAW

DELIVERED = f"{FACT} {END}"


def wrapped(kind, guard, model, listener):
    """A sync and an async call of each wrapper, and of a stream: what was delivered."""
    if kind == "agent":
        agents = pytest.importorskip("langchain.agents", reason="agents need langchain 1.x")
        middleware = guardrail_langchain.GuardrailMiddleware(guard, passages=lambda _: [DELIVERED], listener=listener)
        agent = agents.create_agent(model(), [], middleware=[middleware])
        given = {"messages": [HumanMessage(QUESTION)]}
        return lambda: agent.invoke(given)["messages"][-1].content, lambda: agent.ainvoke(given)
    given = {"question": QUESTION, "answer": RAW, "documents": [DELIVERED]}
    if kind == "node":
        node = guardrail_node(guard, listener=listener)
        return lambda: node.invoke(given)["answer"], lambda: node.ainvoke(given)
    chain = guard_chain(RunnableLambda(lambda _: dict(given)), guard, listener=listener)
    if kind == "chain":
        return lambda: chain.invoke(QUESTION)["answer"], lambda: chain.ainvoke(QUESTION)

    async def last():
        return [each async for each in chain.astream(QUESTION)][-1]

    return lambda: "".join(each.get("answer", "") for each in chain.stream(QUESTION)), last


KINDS = ("chain", "stream", "node", "agent")


@pytest.mark.parametrize("kind", KINDS)
def test_a_listener_that_raises_breaks_no_request(kind, guard, model, caplog):
    """It is logged, and the answer is delivered."""

    def broken(guarded):
        raise ValueError("no disk")

    here, awaited = wrapped(kind, guard(), model, broken)
    with caplog.at_level(logging.WARNING, "guardrail_langchain"):
        assert here() == DELIVERED
        asyncio.run(awaited())
    logged = [record for record in caplog.records if "the listener failed" in record.getMessage()]
    assert [record.exc_info[0] for record in logged] == [ValueError, ValueError]


@pytest.mark.parametrize("kind", KINDS)
def test_an_async_listener_is_awaited_where_that_can_be(kind, guard, model):
    heard = []

    async def listen(guarded):
        await asyncio.sleep(0)
        heard.append(guarded)

    here, awaited = wrapped(kind, guard(), model, listen)
    asyncio.run(awaited())
    assert [guarded.text for guarded in heard] == [DELIVERED]
    with pytest.raises(UsageError, match=r"the listener is async.*ainvoke"):
        here()
