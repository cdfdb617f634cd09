"""An agent of LlamaIndex whose final answer is checked before anybody reads it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from llama_index.core.agent.workflow import (
    AgentInput,
    AgentOutput,
    AgentSetup,
    AgentStream,
    AgentStreamStructuredOutput,
    AgentWorkflow,
    ToolCall,
    ToolCallResult,
)
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemory, ChatMemoryBuffer
from llama_index.core.tools import ToolOutput
from llama_index.core.workflow import Context, Event, StopEvent

from guardrail import Guard, GuardedAnswer
from guardrail.check.drivers import arun
from guardrail.check.intake import PassageLike
from guardrail.repair.feedback import Feedback
from guardrail.repair.generators import Generator as Generate
from guardrail.wrap.kinds import END, HideFrom, Regenerators, read_hide_from
from guardrail_llamaindex.answers import KEY, to_passages, verdict
from guardrail_llamaindex.chat_memory import StagedMemory
from guardrail_llamaindex.checks import Checks
from guardrail_llamaindex.objects import text_of_object, with_text
from guardrail_llamaindex.spans import Place
from guardrail_llamaindex.sub_answers import EXECUTE, refuse_code, refuse_unmarked, writes_code
from guardrail_llamaindex.tool_outputs import queries_heard, retrieved, without_unchecked
from guardrail_llamaindex.wrapped import Agent, check_kind

_WORDS_OF_MODELS = (AgentInput, AgentSetup, AgentStream, AgentStreamStructuredOutput, AgentOutput, StopEvent)

ToolSelector = Callable[[Sequence[ToolOutput]], Iterable[PassageLike]]
"""Which of the outputs of an agent's tools are passages to check against, and as what."""


class GuardedAgent:
    """Runs as the inner agent does; ``output.guardrail`` is the GuardedRecord of the AgentOutput.

    Its answer is checked against what its tools retrieved in this run: nodes of retrievers, source nodes of query
    engines, texts of other tools. What query engines answer is no evidence. The memory keeps the text that was
    delivered. One object serves concurrent runs.

    Args:
        agent: A FunctionAgent, ReActAgent or AgentWorkflow; with ``passages`` also a CodeActAgent, whose code prints
            what the model likes.
        guard: Checks, decides and repairs.
        regenerate: Where the policy asks for a new answer: None or True lets the agent go on, told what was wrong, with
            its tools; False never asks; a callable is asked with the Feedback.
        passages: Turns the outputs of the tools into the passages to check against.
        hide_from: ``"all"``: the record holds no words that were withheld. Events of a run never show them.
        show_arguments: Events show the arguments of calls of tools, which the model wrote and nobody checked: for
            people who approve calls, say. False leaves the names of the tools, and empty arguments.
        answer_field: Of ``structured_response``, the field that holds the answer and is checked with the message. None
            = ``answer``, ``response`` or the like, else the longest text.

    Raises:
        UsageError: the agent is none, the guard no Guard, an option is unknown, or a tool returns generated answers
            that nothing tells from passages.
    """

    def __init__(
        self,
        agent: Agent,
        guard: Guard,
        *,
        regenerate: Generate | bool | None = None,
        passages: ToolSelector | None = None,
        hide_from: HideFrom = "streams",
        show_arguments: bool = False,
        answer_field: str | None = None,
    ) -> None:
        check_kind(agent, Agent, "an agent", "GuardedQueryEngine(index.as_query_engine(), guard)")
        self._checks = Checks(guard=guard, mode="buffer", kind="agent")
        if passages is None:
            refuse_unmarked(agent)
            refuse_code(agent)
        self.inner = agent
        self.guard = guard
        self._regenerate = regenerate
        self._passages = passages
        self._show_arguments = show_arguments
        self._field = answer_field
        self._hide_from = read_hide_from(hide_from, ("streams", "all"))

    def run(
        self,
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        memory: BaseMemory | None = None,
        ctx: Context | None = None,
        **options: Any,
    ) -> GuardedRun:
        """Begin a run, with the arguments of the inner agent's ``run``, in the running event loop."""
        if memory is None and (start := options.get("start_event")) is not None:
            memory = start.get("memory")
        given = {"user_msg": user_msg, "chat_history": chat_history, **options}
        context = Context(self.inner) if ctx is None else ctx
        events: asyncio.Queue[Any] = asyncio.Queue()
        return GuardedRun(context, events, asyncio.create_task(self._answered(context, memory, given, events)))

    async def _answered(
        self, ctx: Context, memory: BaseMemory | None, given: dict[str, Any], events: asyncio.Queue[Any]
    ) -> AgentOutput:
        kept = await ctx.store.get("memory", default=None)
        given_or_new = _new_memory(self.inner) if memory is None else memory
        real: BaseMemory = given_or_new if kept is None else kept
        staged, place = StagedMemory.over(real), Place()
        run = _Run(self.inner, ctx, events, self._show_arguments)
        try:
            with place.answering():
                output = await run.once(staged, given)
            question = str(await ctx.store.get("user_msg_str", default=""))
            regenerators = self._regenerators(run, staged)
            checked = self._checks.run(
                _text_of(output, self._field), self._passages_of(run), question, regenerators, place
            )
            guarded = await arun(checked)
            await arun(staged.delivering(guarded.text))
            output = self._delivered(run.made.get(guarded.text, output), guarded, run)
            run.show_answer(output)
            return output
        finally:
            await ctx.store.set("memory", real)
            events.put_nowait(END)

    def _passages_of(self, run: _Run) -> list[PassageLike]:
        if self._passages is not None:
            return list(self._passages(run.outputs))
        return list(to_passages(retrieved(run.outputs, run.heard)))

    def _regenerators(self, run: _Run, staged: StagedMemory) -> Regenerators:
        if not isinstance(self._regenerate, (bool, type(None))):
            return Regenerators(self._regenerate, self._regenerate)

        async def answered_again(feedback: Feedback) -> tuple[str, list[PassageLike]]:
            limit = self.guard.policy_of_call(None).deadline
            async with asyncio.timeout(None if limit is None else run.seconds + limit):
                output = await run.once(StagedMemory.over(staged, scratch=True), {"user_msg": feedback.text})
            text = _text_of(output, self._field)
            run.made[text] = output
            return text, self._passages_of(run)

        return Regenerators() if self._regenerate is False else Regenerators(awaited=answered_again)

    def _delivered(self, output: AgentOutput, guarded: GuardedAnswer, run: _Run) -> AgentOutput:
        """The output with the text to deliver; parsed and raw forms of it stay only where nothing was changed."""
        changes: dict[str, Any] = {"tool_calls": [run.shown(call) for call in output.tool_calls]}
        if guarded.text != _text_of(output, self._field):
            message = ChatMessage(role=MessageRole.ASSISTANT, content=guarded.text)
            changes |= {"response": message, "structured_response": self._object(output, guarded.text), "raw": None}
        output = output.model_copy(update=changes)
        output[KEY] = verdict(guarded, self._hide_from)
        return output

    def _object(self, output: AgentOutput, text: str) -> Any:
        """The object with the text to deliver, where it said what the message said; else none."""
        structured = output.structured_response
        if not structured or _text_of(output, self._field) != (output.response.content or ""):
            return None
        return with_text(structured, text, self._field)


class GuardedRun(Awaitable[AgentOutput]):
    """A run of a guarded agent: awaited, it is the AgentOutput to deliver.

    Attributes:
        ctx: The run's context, for the next ``run`` of the conversation, or to answer what the agent asks.
    """

    def __init__(self, ctx: Context, events: asyncio.Queue[Any], task: asyncio.Task[AgentOutput]) -> None:
        self.ctx = ctx
        self._events, self._task = events, task

    def __await__(self) -> Generator[Any, Any, AgentOutput]:
        return self._task.__await__()

    async def stream_events(self) -> AsyncIterator[Event]:
        """Events as they happen, without the words of the model; those of its answer once it is checked."""
        while (event := await self._events.get()) is not END:
            yield event
        self._events.put_nowait(END)  # for whoever reads again

    def is_done(self) -> bool:
        """Whether it has ended."""
        return self._task.done()

    async def cancel_run(self) -> None:
        """Stop it; whoever awaits it gets a CancelledError."""
        self._task.cancel()
        await asyncio.wait([self._task])


@dataclass(slots=True)
class _Run:
    """One message to an agent, and what came of it."""

    agent: Agent
    ctx: Context
    events: asyncio.Queue[Any]
    show_arguments: bool
    outputs: list[ToolOutput] = field(default_factory=list)
    heard: list[Any] = field(default_factory=list)
    made: dict[str, AgentOutput] = field(default_factory=dict)
    seconds: float = 0.0

    async def once(self, memory: StagedMemory, given: dict[str, Any]) -> AgentOutput:
        """Have the agent answer; its tools' outputs and events are kept."""
        begin = time.monotonic()
        await self.ctx.store.set("memory", memory)
        with queries_heard(self.heard):
            handler = self.agent.run(ctx=self.ctx, **given)
        try:
            async for event in handler.stream_events():
                if isinstance(event, ToolCallResult):
                    self.outputs.append(event.tool_output)
                if not isinstance(event, _WORDS_OF_MODELS):
                    self.events.put_nowait(self.shown(event))
            output: AgentOutput = await handler
            return output
        finally:
            self.seconds = time.monotonic() - begin
            if not handler.is_done():
                await handler.cancel_run()

    def shown(self, event: Any) -> Any:
        """An event or call as others may see it."""
        bare = not self.show_arguments
        if isinstance(event, ToolCallResult):
            output = without_unchecked(event.tool_output, self.heard)
            if event.tool_name == EXECUTE and writes_code(self.agent):
                output = ToolOutput(tool_name=EXECUTE, raw_input={}, raw_output="", content="")
            if bare:
                output = output.model_copy(update={"raw_input": {}})
            event = event.model_copy(update={"tool_output": output})
        if bare and isinstance(event, (ToolCall, ToolCallResult)):
            event = event.model_copy(update={"tool_kwargs": {}})
        return event

    def show_answer(self, output: AgentOutput) -> None:
        """Events of the answer, as the agent would have sent them."""
        text, name = output.response.content or "", output.current_agent_name
        self.events.put_nowait(AgentStream(delta=text, response=text, current_agent_name=name))
        if output.structured_response is not None:
            self.events.put_nowait(AgentStreamStructuredOutput(output=output.structured_response))
        self.events.put_nowait(output)
        self.events.put_nowait(StopEvent(result=output))


def _new_memory(agent: Agent) -> BaseMemory:
    """As agents make it."""
    first = agent.agents[str(agent.root_agent)] if isinstance(agent, AgentWorkflow) else agent
    return ChatMemoryBuffer.from_defaults(llm=first.llm)


def _text_of(output: AgentOutput, field: str | None) -> str:
    """What an output says, also in its object."""
    said, structured = output.response.content or "", output.structured_response
    told = text_of_object(structured, field) if structured else ""
    return said if told.strip() in ("", said.strip()) else f"{said}\n{told}"
