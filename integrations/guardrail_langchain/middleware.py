"""Middleware for LangChain agents: an answer is checked before it enters the agent's state.

Where the policy changes or blocks it, only the delivered text is ever written, streamed or remembered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import Context
from dataclasses import replace
from typing import Any, Literal

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables.config import ensure_config, set_config_context

from guardrail import Guard, GuardedAnswer, Passage, UsageError
from guardrail.feedback import Feedback
from guardrail_langchain.answers import replaced, text_of
from guardrail_langchain.callbacks import Detach, ambient_config, read_detach, untrace
from guardrail_langchain.documents import to_passages, tool_documents
from guardrail_langchain.parts import asked, configured
from guardrail_langchain.summary import summary, unchecked

Evidence = str | Callable[["ModelRequest[Any]"], Any]
"""Where an agent's documents are: a key of its state, or a function of the model request."""


class GuardrailMiddleware(AgentMiddleware):  # its parameters have defaults, and differ between versions
    """Checks the answers of an agent (``create_agent(..., middleware=[GuardrailMiddleware(guard)])``).

    Messages with tool calls are no answers and pass. The answer's message keeps its id; its
    ``response_metadata["guardrail"]`` tells what was found, without texts. Put this middleware first, so that it sees
    the answer last. ``config["configurable"]["guardrail_policy"]`` is the policy of one call.
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

        def call(request: ModelRequest[Any]) -> ModelResponse[Any]:
            with self._apart() as context:
                return context.run(handler, request)

        def again(feedback: Feedback) -> str:
            return _said_again(call(_told(request, feedback)))

        response = call(request)
        message, passages = self._answer(request, response)
        if message is None:
            return response
        if passages is None:
            return _with(response, message, text_of(message), unchecked("no passages"))
        guarded = self.guard.run(
            text_of(message),
            passages,
            question=asked(request.messages),
            policy=configured(ensure_config(), "guardrail_policy"),
            regenerate=again if self._regenerate else None,
        )
        return self._delivered(response, message, guarded)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """The same without blocking the event loop."""

        async def call(request: ModelRequest[Any]) -> ModelResponse[Any]:
            async def work() -> ModelResponse[Any]:
                return await handler(request)

            with self._apart() as context:
                return await asyncio.create_task(work(), context=context)

        async def again(feedback: Feedback) -> str:
            return _said_again(await call(_told(request, feedback)))

        response = await call(request)
        message, passages = self._answer(request, response)
        if message is None:
            return response
        if passages is None:
            return _with(response, message, text_of(message), unchecked("no passages"))
        guarded = await self.guard.arun(
            text_of(message),
            passages,
            question=asked(request.messages),
            policy=configured(ensure_config(), "guardrail_policy"),
            regenerate=again if self._regenerate else None,
        )
        return self._delivered(response, message, guarded)

    @contextmanager
    def _apart(self) -> Iterator[Context]:
        """A context in which handlers that stream to the caller do not hear of the model."""
        with set_config_context(ambient_config(self._detach)) as context:
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
    """The last message of the model, unless it calls tools or says nothing."""
    message = next((m for m in reversed(response.result) if isinstance(m, AIMessage)), None)
    return message if message is not None and not message.tool_calls and text_of(message).strip() else None


def _with(response: ModelResponse[Any], message: AIMessage, text: str, about: dict[str, Any]) -> ModelResponse[Any]:
    """The response with another text in the message, in its place. A structured reply of the withheld text goes."""
    result: list[BaseMessage] = [replaced(m, text, about) if m is message else m for m in response.result]
    same = text_of(message) == text
    return replace(response, result=result, structured_response=response.structured_response if same else None)


def _told(request: ModelRequest[Any], feedback: Feedback) -> ModelRequest[Any]:
    return request.override(messages=[*request.messages, AIMessage(feedback.answer), HumanMessage(feedback.text)])


def _said_again(response: ModelResponse[Any]) -> str:
    """The new answer; nothing where the model calls tools instead, which ends the attempts."""
    message = _answer_in(response)
    return "" if message is None else text_of(message)
