"""Ways by which withheld text could leave a LangChain wrapper: ambient configs, subgraphs, forms of messages, objects."""

from __future__ import annotations

import asyncio
import dataclasses
import re

import pytest

pytest.importorskip("langgraph")
pytest.importorskip("langchain", reason="agents need langchain 1.x")

from guardrail_langchain import GuardrailMiddleware, guard_chain, guardrail_node
from guardrail_langchain.answers import scrub
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, RemoveMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from pydantic import BaseModel, Field

from guardrail import Action, Guard, Policy, UsageError
from guardrail.testing import FakeEngine

FACT, INVENTED = "The garage opens at 6:00.", "Parking was invented by a duke."
RAW = f"{FACT} {INVENTED}"
DOCUMENT = Document(id="garage", page_content=FACT)
ASKED = {"messages": [HumanMessage("When does it open?", id="asked")]}
BLOCKED = "I can't give a reliable answer"


class Says(BaseChatModel):
    """Always the same."""

    text: str = RAW
    calls: list = Field(default_factory=list)

    @property
    def _llm_type(self):
        return "says"

    def bind_tools(self, tools, **_):
        return self

    def _generate(self, *_, **__):
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self.text, tool_calls=self.calls))])

    def _stream(self, messages, stop=None, run_manager=None, **_):
        for word in re.findall(r"\S+\s*", self.text):
            yield ChatGenerationChunk(message=AIMessageChunk(word))


MODEL = Says()


class Own(Runnable):
    """A Runnable of somebody's own that hands its config on to nobody."""

    def invoke(self, input, config=None, **_):  # noqa: A002
        return {"context": [DOCUMENT], "answer": MODEL.invoke("q").text}

    async def ainvoke(self, input, config=None, **_):  # noqa: A002
        return {"context": [DOCUMENT], "answer": (await MODEL.ainvoke("q")).text}


class Rewrites:
    """A rewriter that asks a LangChain model."""

    def rewrite(self, feedback):
        return MODEL.invoke("q").text

    async def arewrite(self, feedback):
        return (await MODEL.ainvoke("q")).text


def guard(action="block", rewriter=None):
    policy = Policy(actions={"unsupported": action}, on_exhausted=Action.BLOCK)
    return Guard(policy=policy, engine=FakeEngine({"invented": "unsupported"}), rewriter=rewriter)


def graph(node, **options):
    built = StateGraph(MessagesState)
    built.add_node("n", node)
    built.add_edge(START, "n")
    built.add_edge("n", END)
    return built.compile(**options)


def evidence(_):
    return [DOCUMENT]


@pytest.mark.parametrize("rewrites", [False, True], ids=["own runnable", "rewriter"])
def test_models_that_are_given_no_config_are_not_heard_by_those_who_stream(rewrites):
    chain = guard_chain(Own(), guard())
    if rewrites:
        raw = RunnableLambda(lambda _: {"context": [DOCUMENT], "answer": RAW})
        chain = guard_chain(raw, guard("rewrite", Rewrites()))

    async def heard():
        return [e async for e in chain.astream_events("q", version="v2") if "chat_model" in e["event"]]

    assert chain.invoke("q")["answer"].startswith(BLOCKED)
    assert asyncio.run(heard()) == []
    node = guardrail_node(chain.guard, around=lambda _: {"messages": [AIMessage(RAW)]}, passages=evidence)
    assert "invented" not in str(list(graph(node).stream(ASKED, stream_mode="messages")))


def test_a_rewriter_inside_an_agent_is_not_heard_either():
    middleware = GuardrailMiddleware(guard("rewrite", Rewrites()), passages=evidence, regenerate=False)
    agent = create_agent(Says(), [], middleware=[middleware])
    parts = list(agent.stream(ASKED, stream_mode="messages"))
    assert BLOCKED in str(parts)
    assert "invented" not in str(parts)


@pytest.mark.parametrize("called", [False, True], ids=["itself", "in a function"])
def test_a_subgraph_in_a_guarded_node_shows_nobody_its_state(called):
    inner = graph(lambda _: {"messages": [AIMessage(RAW)]})
    node = guardrail_node(guard(), around=inner.invoke if called else inner, passages=evidence)
    saver = MemorySaver()
    modes = ["values", "messages", "updates", "custom", "debug"]
    outer = graph(node, checkpointer=saver)
    parts = list(outer.stream(ASKED, {"configurable": {"thread_id": "1"}}, stream_mode=modes, subgraphs=True))
    assert BLOCKED in str(parts)
    assert "invented" not in str(parts) + str(dict(saver.storage)) + str(dict(saver.blobs)) + str(dict(saver.writes))


@pytest.mark.parametrize(
    "said",
    [
        [("ai", RAW)],
        ("ai", RAW),
        [{"role": "assistant", "content": RAW}],
        {"role": "assistant", "content": RAW},
        [AIMessage(RAW), RemoveMessage(id="asked")],
        [AIMessage(RAW), HumanMessage("And now?")],
    ],
    ids=["pairs", "pair", "dicts", "dict", "removal", "next"],
)
def test_an_answer_is_found_in_every_form_that_langgraph_takes(said):
    node = guardrail_node(guard(), around=lambda _: {"messages": said}, passages=evidence)
    state = graph(node).invoke(ASKED)
    assert BLOCKED in str(state)
    assert "invented" not in str(state)


def test_a_text_that_nobody_knows_as_an_answer_does_not_pass_in_silence():
    node = guardrail_node(guard(), around=lambda _: {"generation": RAW}, passages=evidence)
    with pytest.raises(UsageError, match="generation"):
        node.invoke(ASKED)
    assert guardrail_node(guard(), around=lambda _: {"next": "search"}).invoke(ASKED) == {"next": "search"}


class Reply(BaseModel):
    """A structured reply."""

    answer: str
    number: int = 6


@dataclasses.dataclass(frozen=True)
class Note:
    """An object of somebody's own."""

    answer: str
    made: str = dataclasses.field(default="", init=False)


@pytest.mark.parametrize(
    "held",
    [
        Reply(answer=RAW),
        Note(RAW),
        {RAW},
        {RAW: 1},
        AIMessage("", tool_calls=[{"name": "Reply", "args": {"answer": RAW}, "id": "1"}]),
        ChatGeneration(message=AIMessage(RAW)),
    ],
    ids=lambda held: type(held).__name__,
)
@pytest.mark.parametrize("how", ["invoke", "stream"])
def test_objects_under_other_keys_do_not_keep_the_answer(held, how):
    chain = guard_chain(RunnableLambda(lambda _: {"context": [DOCUMENT], "answer": RAW, "other": held}), guard())
    parts = [chain.invoke("q")] if how == "invoke" else list(chain.stream("q"))
    other = next(part["other"] for part in parts if "other" in part)
    assert type(other) is type(held)
    assert "invented" not in repr(other)
    assert "invented" in repr(held)
    assert scrub(held, "quite another answer, and a long one", "x") == held
