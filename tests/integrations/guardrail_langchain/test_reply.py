"""Structured responses of real agents: the field that holds the answer is checked, the others stay."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass

import pytest

pytest.importorskip("langchain", reason="agents need langchain 1.x")

from guardrail_langchain import GuardrailMiddleware
from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from guardrail import Action, Guard, Policy, UsageError, Verdict
from guardrail.testing import FakeEngine

FACT, INVENTED = "The garage opens at 6:00.", "Parking was invented by a duke."
RAW = f"{FACT} {INVENTED}"
DOCUMENT = Document(id="garage", page_content=FACT)
QUESTION = {"messages": [HumanMessage("When does the garage open?")]}
BLOCKED = "I can't give a reliable answer"
REST = {"sources": ["garage.md, page 3, section on opening hours"], "confidence": 0.9, "needs_human": False}


class Answer(BaseModel):
    text: str = Field(alias="Text")
    sources: list[str]
    confidence: float
    needs_human: bool


@dataclass
class Note:
    text: str
    sources: list[str]
    confidence: float
    needs_human: bool


class Entry(TypedDict):
    text: str
    sources: list[str]
    confidence: float
    needs_human: bool


SCHEMA = {**Answer.model_json_schema(by_alias=False), "title": "Anything", "description": "A reply."}
KINDS = {"model": Answer, "dataclass": Note, "typed dict": Entry, "schema": SCHEMA}


def values(found):
    if isinstance(found, BaseModel):
        return found.model_dump()
    return found if isinstance(found, dict) else asdict(found)


class Script(BaseChatModel):
    """Says one text after the other in its structured reply; keeps what it was asked."""

    texts: list
    by_tool: bool
    rest: dict = REST
    key: str = "text"
    asked: list = Field(default_factory=list)
    tool: str = ""

    @property
    def _llm_type(self):
        return "script"

    def bind_tools(self, tools, **_):
        return self.model_copy(update={"tool": tools[0].name}) if tools else self

    def bind(self, **_):
        return self

    def _generate(self, messages, *_, **__):
        self.asked.append(list(messages))
        said = {self.key: self.texts[min(len(self.asked), len(self.texts)) - 1], **self.rest}
        if self.by_tool:
            calls = [{"name": self.tool, "args": said, "id": f"call{len(self.asked)}"}]
            message = AIMessage("", id="m1", tool_calls=calls, additional_kwargs={"tool_calls": str(said)})
        else:
            message = AIMessage(json.dumps(said), id="m1", additional_kwargs={"parsed": str(said)})
        return ChatResult(generations=[ChatGeneration(message=message)])


def guard(action="block", engine=None):
    policy = Policy(actions={"unsupported": action}, on_exhausted=Action.BLOCK)
    return Guard(policy=policy, engine=engine or FakeEngine({"invented": "unsupported"}))


def made(kind, texts, a_guard, *, by_tool=True, rest=REST, **options):
    strategy = (ToolStrategy if by_tool else ProviderStrategy)(KINDS.get(kind, kind))
    key = "Text" if KINDS.get(kind) is Answer else "text"
    model = Script(texts=list(texts), by_tool=by_tool, rest=rest, key=key)
    middleware = GuardrailMiddleware(a_guard, passages=lambda _: [DOCUMENT], **options)
    return create_agent(model, [], response_format=strategy, middleware=[middleware]), model


HOW = {
    "invoke": lambda agent: agent.invoke(QUESTION),
    "ainvoke": lambda agent: asyncio.run(agent.ainvoke(QUESTION)),
}
BOTH = pytest.mark.parametrize("how", HOW.values(), ids=HOW)
ALL_KINDS = pytest.mark.parametrize("kind", KINDS)
BY = pytest.mark.parametrize("by_tool", [True, False], ids=["tool", "provider"])


@ALL_KINDS
@BY
def test_a_right_answer_keeps_all_its_fields(kind, by_tool):
    """The real engine would not bear out a source's name, a probability or a flag, were they read as prose."""
    agent, _ = made(kind, [FACT], Guard(policy=Policy.strict()), by_tool=by_tool)
    state = agent.invoke(QUESTION)
    found = state["structured_response"]
    assert type(found) is (KINDS[kind] if isinstance(KINDS[kind], type) and KINDS[kind] is not Entry else dict)
    assert values(found) == {"text": FACT, **REST}
    about = state["messages"][1].response_metadata["guardrail"]
    assert (about["action"], about["verdict"], len(about["findings"])) == ("allow", "supported", 1)


@BOTH
@ALL_KINDS
@BY
def test_a_blocked_answer_leaves_the_refusal_in_its_field(how, kind, by_tool):
    """Messages, which spell out the structured response, follow it: nothing of what is withheld is in the state."""
    agent, _ = made(kind, [RAW], guard(), by_tool=by_tool)
    state = how(agent)
    found = values(state["structured_response"])
    text = found.pop("text")
    assert text.startswith(BLOCKED)
    assert found == REST
    assert "invented" not in str(state)
    message = state["messages"][1]
    spelled = message.tool_calls[0]["args"] if by_tool else json.loads(message.text)
    assert text in spelled.values()
    assert (message.id, message.response_metadata["guardrail"]["action"]) == ("m1", "block")
    if by_tool:
        last = state["messages"][2]
        assert isinstance(last, ToolMessage)
        assert last.tool_call_id == message.tool_calls[0]["id"]
        assert text[:20] in last.text


@pytest.mark.parametrize(("action", "text"), [("redact", FACT), ("annotate", f"{FACT} {INVENTED}")])
def test_edits_stay_inside_the_field(action, text):
    agent, _ = made("model", [RAW], guard(action))
    state = agent.invoke(QUESTION)
    found = state["structured_response"]
    assert isinstance(found, Answer)
    assert found.text.startswith(text)
    assert found.model_dump(exclude={"text"}) == REST


@BOTH
@BY
def test_a_new_answer_comes_with_its_own_fields(how, by_tool):
    """The model is asked again behind its own reply, as a conversation that providers accept."""
    agent, model = made("model", [RAW, FACT], guard("regenerate"), by_tool=by_tool)
    state = how(agent)
    assert state["structured_response"] == Answer(Text=FACT, **REST)
    about = state["messages"][1].response_metadata["guardrail"]
    assert (about["attempts"], about["model_calls"], state["messages"][1].id) == (2, 2, "m1")
    assert "invented" not in str(state)
    said = ["human", "ai", "tool", "human"] if by_tool else ["human", "ai", "human"]
    assert [m.type for m in model.asked[1]] == said
    assert INVENTED in model.asked[1][-1].text


def test_a_field_that_repeats_the_answer_changes_with_it():
    class Twice(BaseModel):
        text: str
        summary: str
        level: str

    agent, _ = made(Twice, [RAW], guard(), rest={"summary": f"In short: {RAW}", "level": "high"}, answer_field="text")
    found = agent.invoke(QUESTION)["structured_response"]
    assert found.summary == f"In short: {found.text}"
    assert (found.text[:30], found.level) == (BLOCKED, "high")


class Kinds(BaseModel):
    text: str
    reasoning: str


def test_the_caller_may_name_the_field():
    """Where another one is longer."""
    thought = "The first passage gives the opening hours, and it says six."
    for field, checked in ((None, thought), ("text", FACT)):
        told = []
        options = {"rest": {"reasoning": thought}, "answer_field": field, "listener": told.append}
        made(Kinds, [FACT], guard(), **options)[0].invoke(QUESTION)
        assert told[0].report.answer == checked


def test_a_response_without_any_text_is_refused_aloud():
    class Label(BaseModel):
        text: int

    agent, _ = made(Label, [7], guard(), rest={})
    with pytest.raises(UsageError, match="no field of the agent's Label holds free text"):
        agent.invoke(QUESTION)
    agent, _ = made("model", [FACT], guard(), answer_field="txt")
    with pytest.raises(UsageError, match=r"Answer has no field 'txt'.*Did you mean 'text'"):
        agent.invoke(QUESTION)


def test_a_field_that_was_left_empty_passes():
    class Perhaps(BaseModel):
        text: str | None
        needs_human: bool

    agent, _ = made(Perhaps, [None], guard(), rest={"needs_human": True})
    assert agent.invoke(QUESTION)["structured_response"] == Perhaps(text=None, needs_human=True)


def test_an_answer_that_nobody_could_judge_is_withheld_in_its_field():
    agent, _ = made("model", [FACT], Guard(policy=Policy.strict(), engine=FakeEngine({"garage": Verdict.UNVERIFIED})))
    assert agent.invoke(QUESTION)["structured_response"].text != FACT
