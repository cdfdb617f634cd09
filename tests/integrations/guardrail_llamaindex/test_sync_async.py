"""Every public method that comes in two kinds does the same in both."""

from __future__ import annotations

import asyncio
import inspect

import pytest

pytest.importorskip("llama_index.core")

import guardrail_llamaindex
from guardrail_llamaindex import GuardedChatEngine, GuardedQueryEngine, GuardrailEvaluator
from llama_index.core import SummaryIndex
from llama_index.core.base.response.schema import AsyncStreamingResponse, Response, StreamingResponse
from llama_index.core.chat_engine import CondenseQuestionChatEngine, ContextChatEngine, SimpleChatEngine
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from guardrail import Guard, GuardedAnswer, GuardrailError, Policy
from guardrail.testing import FakeEngine
from tests.support.recorded_llama import RecordedLLM

GOOD, BAD = "The dam is 64 metres high.", "The reservoir holds nine sharks."
MENDED, AGAIN = "The dam is 64 metres high, says the survey.", "previous answer was checked"
QUESTION = "How high is the dam?"
ACTIONS = ("allow", "annotate", "redact", "regenerate", "block")
MODES = ("buffer", "sentence", "observe")
TWINS = {
    "GuardedQueryEngine": {"query", "synthesize"},
    "GuardedChatEngine": {"chat", "stream_chat"},
    "GuardrailEvaluator": {"evaluate", "evaluate_response"},
}
"""All that comes in two kinds; the second begins with an ``a``."""


def test_no_method_that_comes_in_two_kinds_is_forgotten():
    """A new one has to be added here, and below."""
    for name in guardrail_llamaindex.__all__:
        public = getattr(guardrail_llamaindex, name)
        if inspect.isclass(public):
            names = set(vars(public))
            found = {each for each in names if f"a{each}" in names}
            found |= {each.removeprefix("_") for each in names if f"_a{each.removeprefix('_')}" in names}
            assert found == TWINS.get(name, set()), name


def guard(action):
    policy = Policy(name="test", actions={"unsupported": action, "unverified": "allow"})
    return Guard(policy=policy, engine=FakeEngine({"sharks": "unsupported"}))


def index():
    nodes = [TextNode(id_="n1", text=GOOD, metadata={"title": "Survey"}), TextNode(id_="n2", text="Fish live in it.")]
    return SummaryIndex(nodes)


def model(answer=f"{GOOD} {BAD}"):
    return RecordedLLM(answers={AGAIN: MENDED, "": answer})


def plain(value):
    """Without what is new in each call, such as durations."""
    if isinstance(value, GuardedAnswer):
        found = [(f.id, f.text, f.verdict, f.reason) for f in value.report.findings]
        return value.text, value.action, value.attempts, value.report.answer, found, value.original is None
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return value


def seen(text, response):
    nodes = [node.node.node_id for node in response.source_nodes]
    return text, plain(response.metadata or {}), nodes


def outcome(call):
    """What it returns, or the error that it raises."""
    try:
        return call()
    except (GuardrailError, LookupError) as error:
        return type(error), str(error)


async def text_of(response):
    if isinstance(response, AsyncStreamingResponse):
        return "".join([text async for text in response.async_response_gen()])
    return "".join(response.response_gen) if isinstance(response, StreamingResponse) else str(response)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("hide_from", ["streams", "all"])
def test_query_engines(hide_from, streaming, mode):
    """Text, verdict and nodes; of answers that are made from given nodes, too."""
    nodes = [NodeWithScore(node=TextNode(id_="n9", text=GOOD), score=1.0)]

    async def asked(engine, kind):
        given = (QueryBundle(QUESTION), nodes) if kind == "synthesize" else (QUESTION,)
        response = await getattr(engine, f"a{kind}")(*given)
        return seen(await text_of(response), response)

    def asked_here(engine, kind):
        given = (QueryBundle(QUESTION), nodes) if kind == "synthesize" else (QUESTION,)
        response = getattr(engine, kind)(*given)
        return seen(asyncio.run(text_of(response)), response)

    for action in ACTIONS:
        for kind in ("query", "synthesize"):
            for regenerate in (None, False, lambda _: MENDED) if action == "regenerate" else (None,):
                inner = index().as_query_engine(llm=model(), streaming=streaming)
                options = {"mode": mode, "hide_from": hide_from, "regenerate": regenerate}
                engine = GuardedQueryEngine(inner, guard(action), **options)
                first, second = asked_here(engine, kind), asyncio.run(asked(engine, kind))
                assert first == second
                assert first[1]["guardrail"] is not None


def test_an_error_of_the_engine_is_the_same_in_both():
    """It passes as it is."""
    inner = index().as_query_engine(llm=RecordedLLM(answers={}))
    engine = GuardedQueryEngine(inner, guard("block"))
    assert outcome(lambda: engine.query(QUESTION)) == outcome(lambda: asyncio.run(engine.aquery(QUESTION)))


def chat_engine(kind, action, **options):
    memory = ChatMemoryBuffer.from_defaults(token_limit=3000)
    if kind == "simple":
        inner = SimpleChatEngine.from_defaults(llm=model(), memory=memory)
    elif kind == "context":
        inner = ContextChatEngine.from_defaults(index().as_retriever(), llm=model(), memory=memory)
    else:
        inner = CondenseQuestionChatEngine.from_defaults(
            index().as_query_engine(llm=model()), llm=model(), memory=memory
        )
    return GuardedChatEngine(inner, guard(action), **options)


def chatted(engine, kind):
    """Two turns: what is delivered, and what is remembered."""

    def one(message):
        response = getattr(engine, kind)(message)
        return seen("".join(response.response_gen) if kind == "stream_chat" else str(response), response)

    return [one(QUESTION), one("And now?")], [(m.role, m.content) for m in engine.chat_history]


async def achatted(engine, kind):
    async def one(message):
        response = await getattr(engine, f"a{kind}")(message)
        if kind == "chat":
            return seen(str(response), response)
        text = "".join([text async for text in response.async_response_gen()])
        return seen(text, response)

    return [await one(QUESTION), await one("And now?")], [(m.role, m.content) for m in engine.chat_history]


@pytest.mark.parametrize("kind", ["chat", "stream_chat"])
@pytest.mark.parametrize("inner", ["simple", "context", "condense"])
def test_chat_engines(inner, kind):
    """Texts, verdicts, nodes and the memory."""
    for mode in MODES:
        for action in ACTIONS:
            options = {"mode": mode, "hide_from": "all" if action == "block" else "streams"}
            first = chatted(chat_engine(inner, action, **options), kind)
            second = asyncio.run(achatted(chat_engine(inner, action, **options), kind))
            assert first == second
            assert first[1]


RESPONSES = [f"{GOOD} {BAD}", GOOD, "I don't know.", "", None]


@pytest.mark.parametrize("response", RESPONSES)
def test_evaluators(response):
    """Results and mistakes."""
    evaluator = GuardrailEvaluator(guard("block"))
    given = {"query": QUESTION, "response": response, "contexts": [GOOD]}
    first = outcome(lambda: evaluator.evaluate(**given))
    assert first == outcome(lambda: asyncio.run(evaluator.aevaluate(**given)))
    whole = None if response is None else Response(response, [NodeWithScore(node=TextNode(id_="n1", text=GOOD))])
    of_response = outcome(lambda: evaluator.evaluate_response(QUESTION, whole))
    assert of_response == outcome(lambda: asyncio.run(evaluator.aevaluate_response(QUESTION, whole)))
    assert first
