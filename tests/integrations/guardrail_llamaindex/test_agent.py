"""GuardedAgent around LlamaIndex's own agents with a scripted model."""

import asyncio
import contextlib
import io
import json

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedAgent, GuardedQueryEngine
from llama_index.core import SummaryIndex
from llama_index.core.agent.workflow import (
    AgentOutput,
    AgentStream,
    AgentWorkflow,
    CodeActAgent,
    FunctionAgent,
    ReActAgent,
    ToolCall,
    ToolCallResult,
    base_agent,
)
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import TextNode
from llama_index.core.tools import FunctionTool, QueryEngineTool, RetrieverTool
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent, StopEvent
from pydantic import BaseModel

from guardrail import Action, Guard, Policy, UsageError, Verdict
from guardrail.testing import FakeEngine
from tests.support.llama_agents import ScriptedLLM
from tests.support.recorded_llama import RecordedLLM

pytestmark = pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning")  # LlamaIndex's own

GOOD = "The dam is 64 metres high."
BAD = "The reservoir holds nine sharks."
MENDED = "The dam is 64 metres high, says the survey."
AGAIN = "previous answer was checked"
QUESTION = "How high is the dam?"


def guard_for(action):
    policy = Policy(name="test", actions={"unsupported": action, "contradicted": action}, deadline=None)
    return Guard(policy=policy, engine=FakeEngine({"sharks": "unsupported"}))


def redacting():
    """The local engine: what no passage says goes."""
    policy = Policy(name="test", actions={"unsupported": "redact", "contradicted": "redact"}, deadline=None)
    return Guard(policy=policy)


def index():
    return SummaryIndex([TextNode(id_="n1", text=GOOD, metadata={"title": "Survey"})])


def query_engine(answer=BAD):
    return index().as_query_engine(llm=RecordedLLM(answers={"": answer}))


async def asked_for_text(input: str) -> str:  # noqa: A002  the argument's name in LlamaIndex
    return f"Answer: {await query_engine().aquery(input)}"


async def weather(input: str) -> str:  # noqa: A002
    return GOOD


async def broken(input: str) -> str:  # noqa: A002
    raise RuntimeError(BAD)


TOOLS = {
    "engine": lambda: QueryEngineTool.from_defaults(query_engine(), name="engine"),
    "retriever": lambda: RetrieverTool.from_defaults(index().as_retriever(), name="retriever"),
    "text_of_engine": lambda: FunctionTool.from_defaults(async_fn=asked_for_text, name="text_of_engine"),
    "weather": lambda: FunctionTool.from_defaults(async_fn=weather, name="weather"),
    "broken": lambda: FunctionTool.from_defaults(async_fn=broken, name="broken"),
}


def agent_with(*names, kind="function", answers=None, **options):
    model = ScriptedLLM(calls=list(names), answers=answers or {AGAIN: MENDED, "": f"{GOOD} {BAD}"})
    tools = [TOOLS[name]() for name in names]
    agent = FunctionAgent(name="dams", description="knows dams", tools=tools, llm=model, **options)
    return AgentWorkflow(agents=[agent], root_agent="dams") if kind == "workflow" else agent


def asked(agent, *messages, **options):
    """Messages one after another in one context: the output of the last, the events of all, and what is remembered."""

    async def work():
        ctx, events, output = Context(agent.inner), [], None
        for message in messages:
            run = agent.run(message, ctx=ctx, **options)
            events += [event async for event in run.stream_events()]
            output = await run
        memory = await ctx.store.get("memory")
        return output, events, [(m.role.value, m.content or "") for m in await memory.aget_all()]

    return asyncio.run(work())


@pytest.mark.parametrize("kind", ["function", "workflow"])
@pytest.mark.parametrize("action", ["allow", "redact", "regenerate", "block"])
def test_the_final_answer_is_guarded(action, kind):
    """What is returned, streamed and remembered is what was delivered; the tools' calls stay visible."""
    agent = GuardedAgent(agent_with("retriever", kind=kind), guard_for(action), hide_from="all")
    output, events, remembered = asked(agent, QUESTION)
    assert isinstance(output, AgentOutput)
    record = output.guardrail
    assert record.action is (Action.ALLOW if action == "regenerate" else Action(action))
    assert str(output) == record.text
    if action in ("allow", "redact", "regenerate"):
        assert str(output) == {"allow": f"{GOOD} {BAD}", "redact": GOOD, "regenerate": MENDED}[action]
    streamed = "".join(event.delta for event in events if isinstance(event, AgentStream))
    assert streamed == str(output)
    assert [type(event) for event in events[-3:]] == [AgentStream, AgentOutput, StopEvent]
    assert events[-1].result is output
    called = ["retriever"] * (2 if action == "regenerate" else 1)
    assert [event.tool_name for event in events if isinstance(event, ToolCall)] == called
    assert [p.id for p in record.report.passages] == ["n1"]
    assert remembered[0] == ("user", QUESTION)
    assert remembered[-1] == ("assistant", str(output))
    assert [role for role, _ in remembered] == ["user", "assistant", "tool", "assistant"]
    if action != "allow":
        assert "sharks" not in f"{output!r} {events!r} {remembered!r} {json.dumps(record)}"


@pytest.mark.parametrize("tool", ["engine", "text_of_engine"])
def test_what_a_query_engine_answers_is_no_evidence(tool):
    """Its source nodes are; neither events nor the output show its unchecked words."""
    output, events, _ = asked(GuardedAgent(agent_with(tool), redacting(), hide_from="all"), QUESTION)
    assert str(output) == GOOD
    assert [(p.id, p.title, p.text) for p in output.guardrail.report.passages] == [("n1", "Survey", GOOD)]
    result = next(event for event in events if isinstance(event, ToolCallResult))
    assert result.tool_output.content == ""
    assert [node.node_id for node in result.tool_output.raw_output.source_nodes] == ["n1"]
    assert "sharks" not in f"{events!r} {output!r}"


def test_a_retrieved_passage_counts_although_an_engine_answered_with_its_words():
    """Only texts are compared with what query engines said."""
    other = SummaryIndex([TextNode(id_="n2", text=f"Survey of 1931: {GOOD}")])
    tools = [
        QueryEngineTool.from_defaults(query_engine(GOOD), name="engine"),
        RetrieverTool.from_defaults(other.as_retriever(), name="retriever"),
    ]
    model = ScriptedLLM(calls=["engine", "retriever"], answers={"": GOOD})
    agent = FunctionAgent(name="dams", description="", tools=tools, llm=model)
    output, events, _ = asked(GuardedAgent(agent, guard_for("block")), QUESTION)
    assert {p.id for p in output.guardrail.report.passages} == {"n1", "n2"}
    contents = [event.tool_output.content.strip() for event in events if isinstance(event, ToolCallResult)]
    assert sorted(contents) == ["", f"Survey of 1931: {GOOD}"]


def test_a_guarded_engine_in_a_tool_shows_its_answer():
    """It was checked; its nodes are the evidence all the same."""
    tool = QueryEngineTool.from_defaults(GuardedQueryEngine(query_engine(f"{GOOD} {BAD}"), redacting()), name="engine")
    model = ScriptedLLM(calls=["engine"], answers={"": f"{GOOD} {BAD}"})
    agent = FunctionAgent(name="dams", description="", tools=[tool], llm=model)
    output, events, _ = asked(GuardedAgent(agent, redacting()), QUESTION)
    assert str(output) == GOOD
    assert [event.tool_output.content for event in events if isinstance(event, ToolCallResult)] == [GOOD]


def test_texts_of_other_tools_are_evidence_and_errors_are_none():
    """A tool that asks no model says what is so; one that fails says nothing."""
    output, _, _ = asked(GuardedAgent(agent_with("weather", "broken"), redacting()), QUESTION)
    assert str(output) == GOOD
    assert [(p.id, p.text) for p in output.guardrail.report.passages] == [("weather-1", GOOD)]


def test_without_tools_nothing_is_verified():
    """No evidence: the policy decides."""
    output, _, _ = asked(GuardedAgent(agent_with(), Guard(policy=Policy.strict(), engine=FakeEngine())), QUESTION)
    assert output.guardrail.report.verdict is Verdict.UNVERIFIED
    assert output.guardrail.action is Action.BLOCK


def test_own_passages():
    """The caller chooses among the tools' outputs."""
    mine = GuardedAgent(
        agent_with("engine", "weather"),
        redacting(),
        passages=lambda outputs: [o.content for o in outputs if o.tool_name == "engine"],
    )
    assert str(asked(mine, QUESTION)[0]) == BAD


def test_the_next_turn_sees_what_was_delivered():
    """Also where the memory is the caller's; the model's next prompt has no word that was withheld."""
    inner = agent_with("retriever")
    asked(GuardedAgent(inner, guard_for("redact")), QUESTION, "And how old is it?")
    assert "sharks" not in inner.llm.prompts[-1]
    assert GOOD in inner.llm.prompts[-1]
    assert QUESTION in inner.llm.prompts[-1]
    memory = ChatMemoryBuffer.from_defaults(token_limit=3000)

    async def work():
        await GuardedAgent(inner, guard_for("redact")).run(QUESTION, memory=memory)

    asyncio.run(work())
    assert [m.content or "" for m in memory.get_all()][::3] == [QUESTION, GOOD]


def test_eight_runs_at_once_never_cross():
    """One agent: each run has its own answer, evidence and events."""
    answers = {f"question {n}?": f"Number {n} is right. The sharks of {n} are wrong." for n in range(8)}
    agent = GuardedAgent(agent_with("retriever", answers=answers), guard_for("redact"))

    async def many():
        runs = [agent.run(f"question {n}?") for n in range(8)]
        return await asyncio.gather(*runs)

    for n, output in enumerate(asyncio.run(many())):
        assert str(output) == f"Number {n} is right."
        assert output.guardrail.report.question == f"question {n}?"
        assert [p.id for p in output.guardrail.report.passages] == ["n1"]


def test_a_new_answer_is_asked_for_only_as_the_caller_wants():
    """By default the agent is told what was wrong, after all that it said; a callable in its place; or nobody."""
    inner = agent_with("retriever")
    assert str(asked(GuardedAgent(inner, guard_for("regenerate")), QUESTION)[0]) == MENDED
    told = inner.llm.prompts[-1]
    assert all(words in told for words in (QUESTION, f"assistant: {GOOD} {BAD}", AGAIN))
    mine = GuardedAgent(agent_with("retriever"), guard_for("regenerate"), regenerate=lambda _: MENDED)
    assert str(asked(mine, QUESTION)[0]) == MENDED
    never = asked(GuardedAgent(agent_with("retriever"), guard_for("regenerate"), regenerate=False), QUESTION)[0]
    assert never.guardrail.action is Action.BLOCK


def test_a_tool_that_hangs_when_asked_again_does_not_hold_the_answer_back():
    """The second run may take as long as the first, and the policy's deadline: then the first answer is decided on."""
    hangs = []

    async def once(input: str) -> str:  # noqa: A002
        if hangs:
            await asyncio.Event().wait()
        hangs.append(True)
        return GOOD

    model = ScriptedLLM(calls=["once"], answers={"": f"{GOOD} {BAD}"})
    agent = FunctionAgent(name="a", description="", tools=[FunctionTool.from_defaults(async_fn=once)], llm=model)
    actions = {"unsupported": "regenerate", "unverified": "block"}
    policy = Policy(name="test", actions=actions, deadline=1.0)
    guard = Guard(policy=policy, engine=FakeEngine({"sharks": "unsupported"}))
    output, _, remembered = asked(GuardedAgent(agent, guard), QUESTION)
    assert output.guardrail.action is Action.BLOCK
    assert "sharks" not in str(output) + str(remembered)


class Height(BaseModel):
    """A structured answer."""

    says: str
    metres: int


@pytest.mark.parametrize("says", [GOOD, BAD])
def test_a_structured_answer_is_checked_with_the_text(says):
    """It stays where nothing was changed."""
    inner = agent_with("retriever", answers={"": GOOD}, structured_output_fn=lambda _: {"says": says, "metres": 64})
    output, events, _ = asked(GuardedAgent(inner, guard_for("block"), hide_from="all"), QUESTION)
    if says == GOOD:
        assert output.get_pydantic_model(Height) == Height(says=GOOD, metres=64)
        assert str(output) == GOOD
    else:
        assert output.structured_response is None
        assert "sharks" not in f"{output!r} {events!r}"


def test_an_object_that_says_the_same_as_the_text_gets_the_text_to_deliver():
    """It keeps its other fields, which are not checked; so do right answers."""
    said = {"says": f"{GOOD} {BAD}", "metres": 64, "more": ["survey.pdf"]}
    inner = agent_with("retriever", answers={"": said["says"]}, structured_output_fn=lambda _: dict(said))
    output, events, _ = asked(GuardedAgent(inner, redacting(), hide_from="all"), QUESTION)
    assert (str(output), output.structured_response) == (GOOD, {"says": GOOD, "metres": 64, "more": ["survey.pdf"]})
    assert "sharks" not in f"{output!r} {events!r}"
    named = GuardedAgent(inner, redacting(), hide_from="all", answer_field="says")
    assert asked(named, QUESTION)[0].structured_response["says"] == GOOD


@pytest.mark.filterwarnings("ignore:is_running called from within a step:DeprecationWarning")  # by LlamaIndex
def test_reasoning_of_a_react_agent_is_withheld():
    """Only its answer is checked and delivered, and remembered."""
    says = f"Thought: I can answer without using any more tools.\nAnswer: {GOOD} {BAD}"
    call = 'Thought: I need a tool.\nAction: retriever\nAction Input: {"input": "dam"}'
    model = RecordedLLM(answers={"Observation: title": says, "": call})
    inner = ReActAgent(name="dams", description="", tools=[TOOLS["retriever"]()], llm=model)
    output, events, remembered = asked(GuardedAgent(inner, redacting(), hide_from="all"), QUESTION)
    assert str(output) == GOOD
    assert remembered == [("user", QUESTION), ("assistant", GOOD)]
    assert "Thought" not in repr(events)
    assert "sharks" not in repr(events)


def test_errors_and_cancellation_keep_nothing():
    """What the model raises reaches the caller; a run that is stopped ends. No answer is remembered."""

    async def work():
        agent = GuardedAgent(agent_with("retriever", answers={"never": ""}), guard_for("redact"))
        run = agent.run(QUESTION)
        with pytest.raises(LookupError, match="no scripted answer"):
            await run
        assert [type(event) for event in [e async for e in run.stream_events()]] == [ToolCall, ToolCallResult]

        waiting = asyncio.Event()

        async def forever(input: str) -> str:  # noqa: A002
            waiting.set()
            await asyncio.Event().wait()
            return input

        tool = FunctionTool.from_defaults(async_fn=forever, name="forever")
        model = ScriptedLLM(calls=["forever"], answers={"": BAD})
        stuck = GuardedAgent(FunctionAgent(name="a", description="", tools=[tool], llm=model), guard_for("redact"))
        run = stuck.run(QUESTION)
        await waiting.wait()
        await run.cancel_run()
        assert run.is_done()
        with pytest.raises(asyncio.CancelledError):
            await run
        memory = await run.ctx.store.get("memory")
        assert [m.content for m in memory.get_all()] == [QUESTION]

    asyncio.run(work())


@pytest.mark.skipif(
    not hasattr(base_agent, "_get_waiting_for_event_exception"), reason="an older LlamaIndex takes it for an error"
)
def test_an_agent_that_asks_the_user():
    """Events of the caller's own pass, and the run's context takes the reply."""

    async def confirm(ctx: Context, input: str) -> str:  # noqa: A002
        reply = await ctx.wait_for_event(HumanResponseEvent, waiter_event=InputRequiredEvent(prefix="Sure?"))
        return f"{reply.response} {GOOD}"

    async def work():
        tool = FunctionTool.from_defaults(async_fn=confirm, name="confirm")
        model = ScriptedLLM(calls=["confirm"], answers={"": GOOD})
        run = GuardedAgent(FunctionAgent(name="a", description="", tools=[tool], llm=model), guard_for("block")).run(
            "?"
        )
        async for event in run.stream_events():
            if isinstance(event, InputRequiredEvent):
                run.ctx.send_event(HumanResponseEvent(response="Yes."))
        return await run

    assert str(asyncio.run(work())) == GOOD


def test_other_things_are_refused():
    """With what to write."""
    with pytest.raises(UsageError, match=r"expected an agent, got SummaryIndex. Write GuardedQueryEngine\("):
        GuardedAgent(index(), guard_for("block"))
    with pytest.raises(UsageError, match=r"got RetrieverQueryEngine. Write GuardedQueryEngine\(engine, guard\)"):
        GuardedAgent(
            RetrieverQueryEngine.from_args(index().as_retriever(), llm=RecordedLLM(answers={})), guard_for("block")
        )
    with pytest.raises(UsageError, match="must be a Guard, got Policy"):
        GuardedAgent(agent_with(), Policy.strict())


def code_agent(printed):
    """An agent that writes code: it prints something of its own, and answers with it."""
    code = f"<execute>\nprint({printed!r})\n</execute>"
    model = ScriptedLLM(answers={AGAIN: MENDED, "Result of executing": f"{GOOD} {BAD}", "": code})

    async def execute(code: str) -> str:
        """What the code prints."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code, {})
        return out.getvalue()

    return CodeActAgent(name="coder", description="codes", code_execute_fn=execute, llm=model)


def test_what_the_models_own_code_prints_is_no_evidence():
    """So a CodeActAgent is refused, also inside a workflow, unless the caller says what its evidence is."""
    for agent in (code_agent(BAD), AgentWorkflow(agents=[code_agent(BAD)], root_agent="coder")):
        with pytest.raises(UsageError, match=r"CodeActAgent's code prints.*passages="):
            GuardedAgent(agent, redacting())


@pytest.mark.parametrize("kind", ["agent", "workflow"])
@pytest.mark.parametrize("streaming", [True, False])
def test_an_agent_that_writes_code_is_guarded_by_passages_of_the_callers(kind, streaming):
    """What it invents, and prints, goes; no event shows it before."""
    agent = code_agent(BAD)
    agent.streaming = streaming
    if kind == "workflow":
        agent = AgentWorkflow(agents=[agent], root_agent="coder")
    guarded = GuardedAgent(agent, guard_for("redact"), passages=lambda _: [GOOD])
    output, events, memory = asked(guarded, QUESTION)
    assert output.response.content == GOOD
    assert output.guardrail.action is Action.REDACT
    shown = [event for event in events if isinstance(event, (AgentStream, ToolCall, ToolCallResult))]
    assert len(shown) == 3
    assert "sharks" not in "".join(map(repr, shown))
    assert {event.tool_name for event in events if isinstance(event, ToolCall)} == {"execute"}
    assert memory[-1] == ("assistant", GOOD)


@pytest.mark.parametrize("show", [False, True])
def test_arguments_of_tools_are_the_models_words(show):
    """Nobody checks them, so events leave them out, unless people have to see what they approve."""
    agent = GuardedAgent(agent_with("weather"), guard_for("block"), show_arguments=show)
    output, events, _ = asked(agent, QUESTION)
    calls = [event for event in events if isinstance(event, (ToolCall, ToolCallResult))]
    assert [type(event) for event in calls] == [ToolCall, ToolCallResult]
    for call in [*calls, *output.tool_calls]:
        assert call.tool_kwargs == ({"input": "the dam"} if show else {})
    shown = "".join(map(repr, [*events, output.tool_calls]))
    assert ("the dam'" in shown) == show
