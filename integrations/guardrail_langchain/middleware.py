"""Middleware for LangChain agents: an answer is checked before it enters the agent's state.

Where the policy changes or blocks it, only the delivered text is ever written, streamed or remembered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeVar

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables.config import ensure_config, set_config_context
from pydantic_core import to_jsonable_python

from guardrail import Guard, Passage, UsageError
from guardrail.check.drivers import Program, Work, arun, run
from guardrail.check.intake import lines_of
from guardrail.repair.feedback import Feedback
from guardrail.wrap.kinds import HideFrom, Regenerators, guarded_run, read_guard, read_hide_from, same
from guardrail_langchain.answers import replaced, summary, text_of, unchecked
from guardrail_langchain.callbacks import ambient_config, disable_langsmith, suppress_tracing
from guardrail_langchain.documents import to_passages, tool_documents
from guardrail_langchain.parts import configured, question_in
from guardrail_langchain.runnable import Listener
from guardrail_langchain.spans import Place

_Made = TypeVar("_Made")

Evidence = str | Callable[["ModelRequest[Any]"], Any]
"""Where an agent's documents are: a key of its state, or a function of the model request."""


class GuardrailMiddleware(AgentMiddleware):  # its parameters have defaults, and differ between versions
    """Checks the answers of an agent (``create_agent(..., middleware=[GuardrailMiddleware(guard)])``).

    Messages with tool calls are no answers and pass, unless the call is a structured reply. The answer's message keeps
    its id; its ``response_metadata["guardrail"]`` tells what was found, without texts. Put this middleware first, so
    that it sees the answer last. ``config["configurable"]["guardrail_policy"]`` is the policy of one call.
    """

    def __init__(
        self,
        guard: Guard,
        *,
        passages: Evidence | None = None,
        without_passages: Literal["check", "skip"] = "check",
        regenerate: bool | None = None,
        hide_from: HideFrom = "streams",
        listener: Listener | None = None,
    ) -> None:
        """Wrap a guard for an agent.

        Args:
            guard: The guard to run.
            passages: Key of the agent's state, or a function of the ModelRequest. Default: what the tools of the
                conversation returned (documents in ``ToolMessage.artifact``, else the message's text).
            without_passages: ``check``: an answer without any is checked and found unverified, so that the policy
                decides. ``skip``: it is delivered unchecked and its metadata says so (agents that also chat).
            regenerate: None or True = the model is asked again, with the feedback, where the policy wants a new answer.
            hide_from: See guard_chain; for the runs of the model.
            listener: Hears of every checked answer, with its report.

        Raises:
            UsageError: guard is no Guard, or an option is unknown.
        """
        super().__init__()
        read_guard(guard, "GuardrailMiddleware(Guard())")
        if without_passages not in ("check", "skip"):
            raise UsageError(f"without_passages must be 'check' or 'skip', got {without_passages!r}.")
        self.guard = guard
        self._evidence, self._skips = passages, without_passages == "skip"
        self._regenerate, self._hide_from, self._listener = regenerate is not False, read_hide_from(hide_from), listener

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Call the model, and check its message if it is an answer."""
        return run(self._answered(request, handler))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """The same without blocking the event loop."""
        return await arun(self._answered(request, handler))

    def _answered(self, request: ModelRequest[Any], handler: Callable[..., Any]) -> Program[ModelResponse[Any]]:
        place = Place()

        def call(request: ModelRequest[Any]) -> Program[ModelResponse[Any]]:
            work: Work[ModelResponse[Any]] = same(handler, request)
            with suppress_tracing(self._hide_from):
                return (yield from self._alone(work, place))

        def answering(feedback: Feedback) -> Program[str]:
            more = AIMessage(feedback.answer), HumanMessage(feedback.text)
            new = yield from call(request.override(messages=[*request.messages, *more]))
            said = _answer_in(new)  # nothing where the model calls tools instead, which ends the attempts
            return "" if said is None or said.tool_calls else text_of(said)

        response = yield from call(request)
        message = _answer_in(response)
        if message is None:
            return response
        passages, text = self._passages(request), _text_in(response, message)
        if self._skips and not passages:
            return _with(response, message, text, unchecked("no passages"))
        with place.check():
            work = guarded_run(
                self.guard,
                text,
                passages,
                Regenerators.of(answering) if self._regenerate and not message.tool_calls else Regenerators(),
                question=question_in(request.messages),
                policy=configured(ensure_config(), "guardrail_policy"),
            )
            guarded = yield from self._alone(work, place)
        if self._listener is not None:
            self._listener(guarded)
        return _with(response, message, guarded.text, summary(guarded))

    def _alone(self, work: Work[_Made], place: Place) -> Program[_Made]:
        """Work in a context in which handlers that stream to the caller do not hear of the models.

        They speak in the handler, and in a rewriter of the guard.
        """
        with set_config_context(ambient_config(self._hide_from, place.written)) as context:
            context.run(disable_langsmith, self._hide_from)
            made: _Made = yield Work(partial(context.run, work.here), partial(_task, work.awaited, context))
            return made

    def _passages(self, request: ModelRequest[Any]) -> list[Passage]:
        documents: Any = tool_documents(request.messages) if self._evidence is None else self._evidence
        if callable(documents):
            documents = documents(request)
        elif isinstance(documents, str):
            state: Any = request.state
            documents = state.get(documents)
        return to_passages(documents if documents is not None else ())


async def _task(work: Callable[[], Awaitable[_Made]], context: Context) -> _Made:
    async def awaited() -> _Made:
        return await work()

    return await asyncio.create_task(awaited(), context=context)


def _answer_in(response: ModelResponse[Any]) -> AIMessage | None:
    """The last message of the model, unless it calls tools or says nothing. A structured reply may be such a call."""
    message = next((m for m in reversed(response.result) if isinstance(m, AIMessage)), None)
    if message is None or (message.tool_calls and response.structured_response is None):
        return None
    return message if _text_in(response, message).strip() else None


def _text_in(response: ModelResponse[Any], message: AIMessage) -> str:
    """The answer's text; where it is a structured reply by a call of a tool, the values in it, one a line."""
    if not message.tool_calls:
        return text_of(message)
    return "\n".join(lines_of(to_jsonable_python(response.structured_response, fallback=str)))


def _with(response: ModelResponse[Any], message: AIMessage, text: str, about: dict[str, Any]) -> ModelResponse[Any]:
    """The response with another text in the message, in its place. A structured reply of the withheld text goes."""
    same = _text_in(response, message) == text
    result: list[BaseMessage] = [replaced(m, text, about) if m is message else m for m in response.result]
    if message.tool_calls:  # the tool's own message repeats the structured reply
        metadata = {**message.response_metadata, "guardrail": about}
        new = message.model_copy(update={"response_metadata": metadata}) if same else replaced(message, text, about)
        result = [new if m is message else m for m in response.result if same or not isinstance(m, ToolMessage)]
    # An agent without tools asks again as long as there is no structured reply: the delivered text stands for it.
    other = text if message.tool_calls else None
    return replace(response, result=result, structured_response=response.structured_response if same else other)
