"""Middleware for LangChain agents: an answer is checked before it enters the agent's state.

Where the policy changes or blocks it, only the delivered text is ever written, streamed or remembered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import Context
from dataclasses import replace
from typing import Any, Literal, TypeVar

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables.config import ensure_config, set_config_context
from pydantic_core import to_jsonable_python

from guardrail import Guard, GuardedAnswer, Passage, UsageError
from guardrail.check.intake import lines_of
from guardrail.repair.feedback import Feedback
from guardrail_langchain.answers import replaced, text_of
from guardrail_langchain.callbacks import Detach, ambient_config, read_detach, unheard, untrace
from guardrail_langchain.documents import to_passages, tool_documents
from guardrail_langchain.parts import asked, configured
from guardrail_langchain.spans import Place
from guardrail_langchain.summary import summary, unchecked

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
        regenerate: bool = True,
        detach: Detach = "streams",
        listener: Callable[[GuardedAnswer], None] | None = None,
    ) -> None:
        """Wrap a guard for an agent.

        Args:
            guard: The guard to run.
            passages: Key of the agent's state, or a function of the ModelRequest. Default: what the tools of the
                conversation returned (documents in ``ToolMessage.artifact``, else the message's text).
            without_passages: ``check``: an answer without any is checked and found unverified, so that the policy
                decides. ``skip``: it is delivered unchecked and its metadata says so (agents that also chat).
            regenerate: Whether the model is asked again, with the feedback, where the policy wants a new answer.
            detach: See guard_chain; for the runs of the model.
            listener: Hears of every checked answer, with its report.

        Raises:
            UsageError: guard is no Guard, or an option is unknown.
        """
        super().__init__()
        if not isinstance(guard, Guard):
            raise UsageError(f"guard must be a Guard, got {type(guard).__name__}. Write GuardrailMiddleware(Guard()).")
        if without_passages not in ("check", "skip"):
            raise UsageError(f"without_passages must be 'check' or 'skip', got {without_passages!r}.")
        self.guard = guard
        self._evidence, self._skips = passages, without_passages == "skip"
        self._regenerate, self._detach, self._listener = regenerate, read_detach(detach), listener

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Call the model, and check its message if it is an answer."""
        place = Place()

        def call(request: ModelRequest[Any]) -> ModelResponse[Any]:
            with unheard(self._detach):
                return self._run(lambda: handler(request), place)

        def again(feedback: Feedback) -> str:
            return _said_again(call(_told(request, feedback)))

        response = call(request)
        message, passages = self._answer(request, response)
        if message is None:
            return response
        if passages is None:
            return _with(response, message, _text_in(response, message), unchecked("no passages"))
        text, policy = _text_in(response, message), configured(ensure_config(), "guardrail_policy")
        regenerate = again if self._regenerate and not message.tool_calls else None
        with place.check():
            guarded = self._run(
                lambda: self.guard.run(
                    text, passages, question=asked(request.messages), policy=policy, regenerate=regenerate
                ),
                place,
            )
        return self._delivered(response, message, guarded)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """The same without blocking the event loop."""
        place = Place()

        async def call(request: ModelRequest[Any]) -> ModelResponse[Any]:
            with unheard(self._detach):
                return await self._arun(lambda: handler(request), place)

        async def again(feedback: Feedback) -> str:
            return _said_again(await call(_told(request, feedback)))

        response = await call(request)
        message, passages = self._answer(request, response)
        if message is None:
            return response
        if passages is None:
            return _with(response, message, text_of(message), unchecked("no passages"))
        text, policy = _text_in(response, message), configured(ensure_config(), "guardrail_policy")
        regenerate = again if self._regenerate and not message.tool_calls else None
        with place.check():
            guarded = await self._arun(
                lambda: self.guard.arun(
                    text, passages, question=asked(request.messages), policy=policy, regenerate=regenerate
                ),
                place,
            )
        return self._delivered(response, message, guarded)

    def _run(self, work: Callable[[], _Made], place: Place) -> _Made:
        """Models may speak in the handler, and in a rewriter of the guard: both apart."""
        with self._apart(place) as context:
            return context.run(work)

    async def _arun(self, work: Callable[[], Awaitable[_Made]], place: Place) -> _Made:
        async def task() -> _Made:
            return await work()

        with self._apart(place) as context:
            return await asyncio.create_task(task(), context=context)

    @contextmanager
    def _apart(self, place: Place) -> Iterator[Context]:
        """A context in which handlers that stream to the caller do not hear of the model."""
        with set_config_context(ambient_config(self._detach, place.written)) as context:
            context.run(untrace, self._detach)
            yield context

    def _answer(
        self, request: ModelRequest[Any], response: ModelResponse[Any]
    ) -> tuple[AIMessage | None, list[Passage] | None]:
        """The message to check, if it is an answer, and the passages; None = none, and such answers are skipped."""
        message = _answer_in(response)
        if message is None:
            return None, None
        if self._evidence is None:
            documents: Any = tool_documents(request.messages)
        elif callable(self._evidence):
            documents = self._evidence(request)
        else:
            state: Any = request.state
            documents = state.get(self._evidence) or ()
        passages = to_passages(documents if documents is not None else ())
        return message, None if self._skips and not passages else passages

    def _delivered(
        self, response: ModelResponse[Any], message: AIMessage, guarded: GuardedAnswer
    ) -> ModelResponse[Any]:
        if self._listener is not None:
            self._listener(guarded)
        return _with(response, message, guarded.text, summary(guarded))


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


def _told(request: ModelRequest[Any], feedback: Feedback) -> ModelRequest[Any]:
    return request.override(messages=[*request.messages, AIMessage(feedback.answer), HumanMessage(feedback.text)])


def _said_again(response: ModelResponse[Any]) -> str:
    """The new answer; nothing where the model calls tools instead, which ends the attempts."""
    message = _answer_in(response)
    return "" if message is None or message.tool_calls else text_of(message)
