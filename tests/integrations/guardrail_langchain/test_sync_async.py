"""Every public method that comes in two kinds does the same in both."""

from __future__ import annotations

import asyncio
import inspect

import guardrail_langchain
import pytest
from guardrail_langchain import guard_chain, guardrail_evaluator, guardrail_node
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import Runnable, RunnableGenerator, RunnableLambda
from langchain_core.runnables.utils import AddableDict
from pydantic import BaseModel

from guardrail import GuardedAnswer, GuardrailError, Policy

FACT, INVENTED = "The garage opens at 6:00.", "Parking was invented by a duke."
RAW, QUESTION = f"{FACT} {INVENTED}", "When does the garage open?"
DOCUMENT = Document(id="garage", page_content=FACT, metadata={"title": "Garage"})
TWINS = {
    "GuardedChain": [("invoke", "ainvoke"), ("stream", "astream"), ("transform", "atransform")],
    "GuardrailNode": [("invoke", "ainvoke")],
    "GuardrailMiddleware": [("wrap_model_call", "awrap_model_call")],
    "GuardrailRunEvaluator": [("__call__", "acall")],
}
"""All that comes in two kinds."""


def test_no_method_that_comes_in_two_kinds_is_forgotten():
    """A new one has to be added here, and below."""
    for name in guardrail_langchain.__all__:
        public = getattr(guardrail_langchain, name)
        if not inspect.isclass(public):
            continue
        own = [cls for cls in public.__mro__ if cls.__module__.startswith("guardrail_langchain")]
        methods = {each for cls in own for each in vars(cls)}
        found = {(each, f"a{each}") for each in methods if f"a{each}" in methods}
        if "acall" in methods:
            found.add(("__call__", "acall"))
        assert found == set(TWINS.get(name, ())), name


def plain(value):
    """Without what is new in each call: durations, ids of messages."""
    if isinstance(value, GuardedAnswer):
        return (value.text, value.action, value.attempts, [(f.id, f.verdict, f.reason) for f in value.report.findings])
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (AIMessage, AIMessageChunk)):
        return (type(value), value.content, value.tool_calls, plain(value.response_metadata), value.additional_kwargs)
    return value


def outcome(call):
    """What it returns, or the error that it raises."""
    try:
        return plain(call())
    except (GuardrailError, OSError) as error:
        return type(error), str(error)


def both(kind, here, awaited, *given, **options):
    """What the two methods make of the same."""

    async def items(of):
        for each in of:
            yield each

    async def collected():
        if kind == "invoke":
            return await awaited(*given, **options)
        asked = items(*given) if kind == "transform" else given[0]
        return [each async for each in awaited(asked, **options)]

    def at_once():
        if kind == "invoke":
            return here(*given, **options)
        return list(here(iter(given[0]) if kind == "transform" else given[0], **options))

    return outcome(at_once), outcome(lambda: asyncio.run(collected()))


def fails(_):
    raise OSError("busy")


def pieces(_):
    yield AddableDict(context=[DOCUMENT])
    for piece in (FACT, " Parking was", " invented by a duke."):
        yield AddableDict(answer=piece)
    yield AddableDict(note=INVENTED)


async def apieces(given):
    for piece in pieces(given):
        yield piece


CHAINS = {
    "text": lambda lcel, _: (lcel(StrOutputParser()), QUESTION),
    "message": lambda lcel, _: (lcel(), QUESTION),
    "mapping": lambda _, retrieval_chain: (retrieval_chain(), {"input": QUESTION}),
    "chunks": lambda *_: (RunnableGenerator(pieces, apieces), {"input": QUESTION}),
    "no answer": lambda *_: (RunnableLambda(lambda _: {"other": 1}), {"input": QUESTION}),
    "no documents": lambda *_: (RunnableLambda(lambda _: RAW), QUESTION),
    "error": lambda *_: (RunnableLambda(fails), QUESTION),
}


@pytest.mark.parametrize("kind", ["invoke", "stream", "transform"])
@pytest.mark.parametrize("mode", ["buffer", "sentence", "observe"])
@pytest.mark.parametrize("shape", CHAINS)
def test_chains(shape, mode, kind, guard, lcel, retrieval_chain):
    """Outputs, chunks and errors."""
    for action in ("allow", "redact", "regenerate", "block"):
        inner, given = CHAINS[shape](lcel, retrieval_chain)
        chain = guard_chain(inner, guard(action), mode=mode)
        here, awaited = getattr(chain, kind), getattr(chain, f"a{kind}")
        first, second = both(kind, here, awaited, [given] if kind == "transform" else given)
        assert first == second
        assert first


@pytest.mark.parametrize(
    "options",
    [
        {"hide_from": "all"},
        {"hide_from": "nobody"},
        {"regenerate": lambda given: FACT if given["feedback"] else RAW},
        {"regenerate": fails},
        {"question": "nowhere"},
    ],
)
def test_options_of_chains(options, guard, retrieval_chain):
    """Each of them."""
    chain = guard_chain(retrieval_chain(), guard("regenerate"), **options)
    for kind in ("invoke", "stream"):
        first, second = both(kind, getattr(chain, kind), getattr(chain, f"a{kind}"), {"input": QUESTION})
        assert first == second


CALL = AIMessage("I look it up.", tool_calls=[{"name": "search", "args": {}, "id": "c1"}])
STATES = {
    "message": {"messages": [HumanMessage(QUESTION), AIMessage(RAW, id="a1")], "context": [DOCUMENT]},
    "text": {"question": QUESTION, "answer": RAW, "context": [DOCUMENT], "note": RAW},
    "tool": {"messages": [CALL, ToolMessage(FACT, tool_call_id="c1"), AIMessage(RAW, id="a1")]},
    "call": {"messages": [HumanMessage(QUESTION), CALL]},
    "no answer": {"context": [DOCUMENT]},
    "no documents": {"answer": RAW},
}


@pytest.mark.parametrize("around", [False, True])
@pytest.mark.parametrize("state", STATES)
def test_nodes(state, around, guard):
    """By themselves and around another."""
    for action in ("allow", "redact", "regenerate", "block"):
        node = guardrail_node(
            guard(action),
            around=(lambda _: {"answer": RAW, "context": [DOCUMENT]}) if around else None,
            regenerate=lambda given: FACT if given["feedback"] else RAW,
        )
        first, second = both("invoke", node.invoke, node.ainvoke, STATES[state])
        assert first == second


class Opening(BaseModel):
    at: str


REPLIES = {
    "answer": (FACT, None),
    "withheld": (RAW, None),
    "nothing": ("", None),
    "call": (CALL, None),
    "structured": (CALL, Opening(at=FACT)),
    "structured, withheld": (CALL, Opening(at=INVENTED)),
}


def model_request(*messages):
    """As LangChain 1.0.0 wants it: with every field."""
    from langchain.agents.middleware import ModelRequest

    return ModelRequest(
        model=None,
        messages=list(messages),
        system_prompt=None,
        tool_choice=None,
        tools=[],
        response_format=None,
        state={},
        runtime=None,
    )


@pytest.mark.parametrize("reply", REPLIES)
@pytest.mark.parametrize("documents", [True, False])
@pytest.mark.parametrize("without_passages", ["check", "skip"])
def test_agents(reply, documents, without_passages, guard):
    """Answers, calls of tools and structured replies; with evidence and without any."""
    pytest.importorskip("langchain", reason="agents need langchain 1.x")
    from langchain.agents.middleware import ModelResponse

    said, structured = REPLIES[reply]
    message = said if isinstance(said, AIMessage) else AIMessage(said, id="a1")
    result = [message] if structured is None else [message, ToolMessage(str(structured), tool_call_id="c1")]
    found = [ToolMessage(FACT, tool_call_id="c0")] if documents else []
    request = model_request(HumanMessage(QUESTION), *found)

    def handler(asked):
        if len(asked.messages) > len(request.messages):
            return ModelResponse(result=[AIMessage(FACT)])
        return ModelResponse(result=list(result), structured_response=structured)

    async def ahandler(asked):
        return handler(asked)

    for action in ("allow", "redact", "regenerate", "block"):
        options = {"without_passages": without_passages, "passages": None}
        middleware = guardrail_langchain.GuardrailMiddleware(guard(action), **options)
        first = middleware.wrap_model_call(request, handler)
        second = asyncio.run(middleware.awrap_model_call(request, ahandler))
        assert plain(first.result) == plain(second.result)
        assert first.structured_response == second.structured_response


def test_a_structured_reply_that_is_not_checked_stays(guard):
    """With ``without_passages="skip"``: it was lost in async agents, and its tool's message with it."""
    pytest.importorskip("langchain", reason="agents need langchain 1.x")
    from langchain.agents.middleware import ModelResponse

    request = model_request(HumanMessage(QUESTION))
    reply = Opening(at="6:00")

    async def handler(_):
        return ModelResponse(result=[CALL, ToolMessage("at 6:00", tool_call_id="c1")], structured_response=reply)

    middleware = guardrail_langchain.GuardrailMiddleware(guard(), without_passages="skip")
    response = asyncio.run(middleware.awrap_model_call(request, handler))
    assert response.structured_response == reply
    assert [type(message) for message in response.result] == [AIMessage, ToolMessage]
    assert response.result[0].tool_calls == CALL.tool_calls
    assert response.result[0].response_metadata["guardrail"] == {"checked": False, "reason": "no passages"}


RUNS = {
    "outputs": {"inputs": {"question": QUESTION}, "outputs": {"answer": RAW, "context": [DOCUMENT]}},
    "inputs": {"inputs": {"question": QUESTION, "context": [DOCUMENT]}, "outputs": {"answer": FACT}},
    "nothing": {"inputs": {}, "outputs": {"answer": RAW}},
    "none": {},
}


@pytest.mark.parametrize("run", RUNS)
def test_evaluators(run, guard):
    """Scores, comments, and why there are none."""
    evaluator = guardrail_evaluator(guard())
    first, second = both("invoke", evaluator, evaluator.acall, RUNS[run])
    assert first == second
    assert first["key"] == "groundedness"


def test_the_policy_of_one_call_counts_in_both(guard, lcel):
    """From the config."""
    chain = guard_chain(lcel(StrOutputParser()), guard("block"))
    assert isinstance(chain, Runnable)
    config = {"configurable": {"guardrail_policy": Policy.monitor()}}
    first, second = both("invoke", chain.invoke, chain.ainvoke, QUESTION, config)
    assert first == second
    assert INVENTED in first
