"""GuardrailMiddleware in real LangChain agents, with a scripted model."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace

import pytest

pytest.importorskip("langchain", reason="agents need langchain 1.x")

from guardrail_langchain import GuardrailMiddleware
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    ModelCallLimitMiddleware,
    ModelResponse,
    wrap_model_call,
)
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import MemorySaver
from pydantic import Field

from guardrail import Action, Guard, Passage, Policy, UsageError, Verdict
from guardrail.testing import FakeEngine

FACT, INVENTED = "The garage opens at 6:00.", "Parking was invented by a duke."
RAW = f"{FACT} {INVENTED}"
DOCUMENT = Document(id="garage", page_content=FACT, metadata={"title": "Garage"})
QUESTION = {"messages": [HumanMessage("When does the garage open?")]}
BLOCKED = "I can't give a reliable answer"


class Script(BaseChatModel):
    """Says one reply after the other; keeps what it was asked."""

    replies: list
    asked: list = Field(default_factory=list)

    @property
    def _llm_type(self):
        return "script"

    def bind_tools(self, tools, **_):
        return self

    def bind(self, **_):
        return self

    def _next(self, messages):
        self.asked.append(list(messages))
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        return AIMessage(reply) if isinstance(reply, str) else reply

    def _generate(self, messages, *_, **__):
        return ChatResult(generations=[ChatGeneration(message=self._next(messages))])

    def _stream(self, messages, stop=None, run_manager=None, **_):
        reply = self._next(messages)
        if reply.tool_calls:
            calls = [{**c, "args": json.dumps(c["args"]), "index": 0} for c in reply.tool_calls]
            chunks = [AIMessageChunk(content=reply.content, tool_call_chunks=calls)]
        else:
            chunks = [AIMessageChunk(content=w, id=reply.id) for w in re.findall(r"\S+\s*", reply.content)]
        for chunk in chunks:
            each = ChatGenerationChunk(message=chunk)
            if run_manager:
                run_manager.on_llm_new_token(str(chunk.content), chunk=each)
            yield each


def calling(name="search"):
    return AIMessage("I look it up.", tool_calls=[{"name": name, "args": {"query": "garage"}, "id": "call1"}])


@tool(response_format="content_and_artifact")
def search(query: str):
    """Find documents."""
    return "1 document", [DOCUMENT]


@tool
def read(query: str) -> str:
    """Read the manual."""
    return FACT


@tool
def fail(query: str) -> str:
    """Always out of order."""
    raise ValueError("out of order: parking was invented")


def guard(action="block", engine=None, **policy):
    engine = engine or FakeEngine({"invented": "unsupported"})
    return Guard(policy=Policy(actions={"unsupported": action}, **policy), engine=engine)


def make(replies, a_guard=None, *, tools=(search, read), more=(), checkpointer=None, state_schema=None, **options):
    model = Script(replies=list(replies))
    middleware = [GuardrailMiddleware(a_guard or guard(), **options), *more]
    agent = create_agent(
        model, list(tools), middleware=middleware, checkpointer=checkpointer, state_schema=state_schema
    )
    return agent, model


async def all_of(stream):
    return [each async for each in stream]


HOW = {
    "invoke": lambda agent, given, config=None: agent.invoke(given, config),
    "ainvoke": lambda agent, given, config=None: asyncio.run(agent.ainvoke(given, config)),
}
BOTH = pytest.mark.parametrize("how", HOW)


@BOTH
def test_a_blocked_answer_never_enters_the_state(how):
    """The message keeps its id and tells, without texts, what was found."""
    engine = FakeEngine({"invented": "unsupported"})
    told = []
    agent, _ = make([calling(), AIMessage(RAW, id="run-9")], guard(engine=engine), listener=told.append)
    state = HOW[how](agent, QUESTION)
    assert [m.type for m in state["messages"]] == ["human", "ai", "tool", "ai"]
    last = state["messages"][-1]
    assert (last.id, last.text[:30]) == ("run-9", BLOCKED)
    assert "invented" not in str(state)
    about = json.loads(json.dumps(last.response_metadata["guardrail"]))
    assert (about["checked"], about["action"], about["verdict"]) == (True, "block", "unsupported")
    assert [f["action"] for f in about["findings"]] == ["allow", "block"]
    assert about["findings"][0]["evidence"] == [{"passage_id": "garage", "title": "Garage"}]
    assert {key: about[key] for key in told[0].to_dict()} == told[0].to_dict()
    [request] = engine.calls  # the message with the tool call was not checked
    assert request.passages == (Passage(id="garage", title="Garage", text=FACT),)
    assert (request.question, told[0].report.answer) == (QUESTION["messages"][0].content, RAW)


def test_no_stream_mode_and_no_checkpoint_shows_what_is_withheld():
    """Tokens included: a model inside the agent is heard by none who stream to the caller."""
    modes = ["values", "messages", "updates", "custom", "checkpoints", "tasks", "debug"]
    for action, text in (("block", BLOCKED), ("redact", FACT)):
        agent, _ = make([calling(), RAW], guard(action), checkpointer=MemorySaver())
        config = {"configurable": {"thread_id": "1"}}
        parts = list(agent.stream(QUESTION, config, stream_mode=modes, subgraphs=True))
        again = {"configurable": {"thread_id": "2"}}
        agent2, _ = make([calling(), RAW], guard(action), checkpointer=MemorySaver())
        parts += asyncio.run(all_of(agent2.astream(QUESTION, again, stream_mode=modes, subgraphs=True)))
        assert "invented" not in str(parts)
        assert "invented" not in str(list(agent.get_state_history(config)))
        said = [data[0] for _, mode, data in parts if mode == "messages"]
        answers = [m for m in said if isinstance(m, AIMessage) and m.text.startswith(text[:20])]
        assert len(answers) == 2  # one of each stream, whole


@pytest.mark.parametrize("hide_from", ["streams", "all"])
def test_no_event_shows_what_is_withheld(hide_from):
    """astream_events, where the raw tokens are most easily overlooked."""
    agent, _ = make([calling(), RAW], hide_from=hide_from)
    events = asyncio.run(all_of(agent.astream_events(QUESTION, version="v2")))
    assert "invented" not in str(events)
    assert BLOCKED in str(events)
    assert "on_tool_end" in {event["event"] for event in events}


class Ear(BaseCallbackHandler):
    def __init__(self):
        self.heard = []

    def on_llm_end(self, response, **kwargs):
        self.heard.append(str(response))

    def on_chain_end(self, outputs, **kwargs):
        self.heard.append(str(outputs))


@BOTH
def test_tracers_hear_the_model_unless_they_are_detached(how):
    """As documented."""
    for hide_from in ("streams", "all"):
        ear = Ear()
        agent, _ = make([calling(), RAW], hide_from=hide_from)
        HOW[how](agent, QUESTION, {"callbacks": [ear]})
        assert ("invented" in "".join(ear.heard)) is (hide_from == "streams")
        assert BLOCKED in "".join(ear.heard)


@BOTH
def test_the_model_is_asked_again_with_the_feedback_and_the_state_does_not_grow(how):
    """On the same conversation: no tool runs again."""
    agent, model = make([calling(), AIMessage(RAW, id="run-1"), FACT], guard("regenerate"))
    state = HOW[how](agent, QUESTION)
    assert [m.type for m in state["messages"]] == ["human", "ai", "tool", "ai"]
    last = state["messages"][-1]
    assert (last.text, last.id, last.response_metadata["guardrail"]["attempts"]) == (FACT, "run-1", 2)
    *before, answer, feedback = model.asked[2]
    assert [m.type for m in before] == ["human", "ai", "tool"]
    assert (answer.type, answer.text, feedback.type) == ("ai", RAW, "human")
    assert INVENTED in feedback.text


@pytest.mark.parametrize("again", [RAW, calling(), ""], ids=["the same", "a tool call", "nothing"])
def test_where_no_better_answer_comes_the_policy_decides(again):
    """And the state says that attempts ran out."""
    agent, _ = make([calling(), RAW, again], guard("regenerate", on_exhausted=Action.BLOCK))
    last = agent.invoke(QUESTION)["messages"][-1]
    assert last.text.startswith(BLOCKED)
    assert last.response_metadata["guardrail"]["exhausted"] is True


def counted(text, tokens):
    return AIMessage(text, usage_metadata={"input_tokens": tokens, "output_tokens": 1, "total_tokens": tokens + 1})


@BOTH
@pytest.mark.parametrize("again", [FACT, RAW], ids=["better", "the same again"])
def test_usage_and_attempts_are_those_of_all_calls(how, again):
    """A bill that is read from usage_metadata must not lose the calls behind the first one."""
    agent, model = make([calling(), counted(RAW, 10), counted(again, 20)], guard("regenerate"))
    last = HOW[how](agent, QUESTION)["messages"][-1]
    assert last.usage_metadata == {"input_tokens": 30, "output_tokens": 2, "total_tokens": 32}
    about = last.response_metadata["guardrail"]
    assert (about["attempts"], about["model_calls"], len(model.asked)) == (2, 2, 3)


@BOTH
@pytest.mark.parametrize("first", [True, False])
def test_calls_behind_the_first_one_count_for_the_limit_of_model_calls(how, first):
    """Of the conversation: the limit of three is reached by two answers, one of them regenerated."""
    limit = ModelCallLimitMiddleware(thread_limit=3)
    guarding = GuardrailMiddleware(guard("regenerate"), passages=lambda _: [DOCUMENT])
    model = Script(replies=[RAW, FACT, FACT])
    order = [guarding, limit] if first else [limit, guarding]
    agent = create_agent(model, [], middleware=order, checkpointer=MemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    texts = [HOW[how](agent, QUESTION, config)["messages"][-1].text for _ in range(3)]
    assert texts[:2] == [FACT, FACT]
    assert texts[2].startswith("Model call limits exceeded: thread limit (3/3)")
    assert len(model.asked) == 3


@BOTH
@pytest.mark.parametrize("behavior", ["end", "error"])
@pytest.mark.parametrize("calls", [2, 3])
def test_the_limit_of_model_calls_is_asked_before_the_model(how, behavior, calls):
    """Where none is left, the policy decides on the answer that there is."""
    limit = ModelCallLimitMiddleware(run_limit=calls, exit_behavior=behavior)
    replies = [calling(), RAW, FACT]
    agent, model = make(replies, guard("regenerate", on_exhausted="redact"), more=[limit], model_call_limit=limit)
    last = HOW[how](agent, QUESTION)["messages"][-1]
    about = last.response_metadata["guardrail"]
    assert (last.text, len(model.asked)) == (FACT, calls)
    assert (about["attempts"], about["model_calls"], about["exhausted"]) == (calls - 1, calls - 1, calls == 2)


def test_regenerating_can_be_turned_off():
    """Then the policy's on_exhausted applies."""
    agent, model = make([calling(), RAW], guard("regenerate", on_exhausted=Action.REDACT), regenerate=False)
    assert agent.invoke(QUESTION)["messages"][-1].text == FACT
    assert len(model.asked) == 2


def test_what_tools_say_is_evidence_where_they_return_no_documents():
    """But not the message of one that failed."""
    engine = FakeEngine()
    agent, _ = make([calling("read"), FACT], guard(engine=engine))
    agent.invoke(QUESTION)
    assert engine.calls[0].passages == (Passage(id="call1", title="read", text=FACT),)

    engine, told = FakeEngine(), []
    failed = [
        *QUESTION["messages"],
        calling("fail"),
        ToolMessage("parking was invented", tool_call_id="call1", status="error"),
    ]
    agent, _ = make([RAW], guard(engine=engine, fail="open"), listener=told.append)
    agent.invoke({"messages": failed})
    assert told[0].report.verdict is Verdict.UNVERIFIED
    assert told[0].report.passages == ()


class WithDocuments(AgentState):
    found: list


@pytest.mark.parametrize(
    "passages", ["found", lambda request: request.state["found"]], ids=["key of the state", "function"]
)
def test_documents_may_be_elsewhere(passages):
    """In the state, where a retrieval step put them."""
    engine = FakeEngine()
    agent, _ = make([FACT], guard(engine=engine), tools=(), passages=passages, state_schema=WithDocuments)
    agent.invoke({**QUESTION, "found": [DOCUMENT]})
    assert [p.id for p in engine.calls[0].passages] == ["garage"]


@BOTH
def test_answers_without_any_passages_are_unverified_unless_they_are_skipped(how):
    """An agent that also chats may let them pass; its message says that nobody checked."""
    agent, _ = make(["Parking costs 3 euros."])
    assert HOW[how](agent, QUESTION)["messages"][-1].text.startswith(BLOCKED)
    agent, _ = make(["Parking costs 3 euros."], without_passages="skip")
    last = HOW[how](agent, QUESTION)["messages"][-1]
    assert last.text == "Parking costs 3 euros."
    assert last.response_metadata["guardrail"] == {"checked": False, "reason": "no passages"}


@BOTH
def test_small_talk_passes_also_after_evidence_and_a_claim_without_new_evidence_is_checked(how):
    """A turn that looks nothing up is judged by the documents of earlier turns, if it claims anything."""
    thanks, later = "You're very welcome, Anna! Anything else?", "Parking was invented in 1900."
    engine = FakeEngine({"garage": "supported"}, default="unsupported")
    agent, _ = make(
        [calling(), FACT, thanks, later], guard(engine=engine), without_passages="skip", checkpointer=MemorySaver()
    )
    thread = {"configurable": {"thread_id": "1"}}
    asked = ("When does the garage open?", "Thanks!", "Who invented parking?")
    said = [HOW[how](agent, {"messages": [HumanMessage(text)]}, thread)["messages"][-1].text for text in asked]
    assert said[:2] == [FACT, thanks]
    assert said[2].startswith(BLOCKED)


def test_it_sees_the_answer_after_other_middleware_that_stands_behind_it():
    """The first of the list is the outermost."""

    @wrap_model_call
    def embroider(request, handler):
        response = handler(request)
        return ModelResponse(result=[AIMessage(f"{response.result[-1].text} {INVENTED}")])

    agent, _ = make([FACT], more=[embroider], passages=lambda _: [DOCUMENT])
    assert agent.invoke(QUESTION)["messages"][-1].text.startswith(BLOCKED)


def test_an_error_of_the_model_is_raised_as_it_is():
    class Broken(Script):
        def _generate(self, *_, **__):
            raise ConnectionError("no line")

    agent = create_agent(Broken(replies=[]), [], middleware=[GuardrailMiddleware(guard())])
    with pytest.raises(ConnectionError, match="no line"):
        agent.invoke(QUESTION)
    with pytest.raises(ConnectionError, match="no line"):
        asyncio.run(agent.ainvoke(QUESTION))


@BOTH
def test_the_policy_of_one_call_may_come_in_its_config(how):
    """The agent is shared."""
    for policy, text in ((Policy.monitor(), RAW), (Policy.strict(), BLOCKED)):
        agent, _ = make([calling(), RAW])
        state = HOW[how](agent, QUESTION, {"configurable": {"guardrail_policy": policy}})
        assert state["messages"][-1].text.startswith(text)
        agent, _ = make([calling(), RAW], replace(guard(), policies={"tenant": policy}))
        state = HOW[how](agent, QUESTION, {"configurable": {"guardrail_policy": "tenant"}})
        assert state["messages"][-1].text.startswith(text)


def test_wrong_options_are_refused():
    """With what to write instead."""
    with pytest.raises(UsageError, match=r"guard must be a Guard, got Policy"):
        GuardrailMiddleware(Policy.strict())
    with pytest.raises(UsageError, match="without_passages must be 'check' or 'skip', got 'pass'"):
        GuardrailMiddleware(guard(), without_passages="pass")
    assert isinstance(GuardrailMiddleware(guard()), AgentMiddleware)


def test_an_agent_with_the_local_engine():
    """A very clear case for any model: a claim on a topic that no document holds."""
    invented = "The mayor of Fennick later apologised to local hotel owners."
    agent, _ = make([calling(), f"{FACT} {invented}"], Guard(policy=Policy.strict()))
    state = agent.invoke(QUESTION)
    assert state["messages"][-1].text.startswith(BLOCKED)
    assert "mayor" not in str(state)
    agent, _ = make([calling(), FACT], Guard(policy=Policy.strict()))
    assert agent.invoke(QUESTION)["messages"][-1].text == FACT
