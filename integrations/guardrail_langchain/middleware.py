"""Middleware for LangChain agents: an answer is checked before it enters the agent's state.

Where the policy changes or blocks it, only the delivered text is ever written, streamed or remembered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import Context
from functools import partial, reduce
from typing import Any, Literal, TypeVar

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.middleware.model_call_limit import (
    ModelCallLimitExceededError,
    ModelCallLimitMiddleware,
    ModelCallLimitState,
)
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.messages.ai import UsageMetadata, add_usage
from langchain_core.runnables.config import ensure_config, set_config_context

from guardrail import Guard, Passage, UsageError
from guardrail.check.drivers import Program, Work, arun, run
from guardrail.repair.feedback import Feedback
from guardrail.wrap.kinds import HideFrom, Regenerators, guarded_run, read_guard, read_hide_from, same
from guardrail_langchain.answers import summary, unchecked
from guardrail_langchain.callbacks import ambient_config, disable_langsmith, suppress_tracing
from guardrail_langchain.documents import to_passages, tool_documents
from guardrail_langchain.parts import configured, question_in
from guardrail_langchain.reply import Reply, reply_in
from guardrail_langchain.runnable import Listener, tell
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

    state_schema = ModelCallLimitState

    def __init__(
        self,
        guard: Guard,
        *,
        passages: Evidence | None = None,
        without_passages: Literal["check", "skip"] = "check",
        regenerate: bool | None = None,
        hide_from: HideFrom = "streams",
        listener: Listener | None = None,
        answer_field: str | None = None,
        model_call_limit: ModelCallLimitMiddleware[Any, Any] | None = None,
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
            listener: Hears of every checked answer, with its report; may be async where the agent is awaited.
            answer_field: The field of a structured response that holds the answer. Default: the longest free text by
                schema. Only this field is checked and changed; a blocked answer leaves the refusal in it.
            model_call_limit: The agent's ModelCallLimitMiddleware, to be asked before the model is asked again. Without
                it such calls are counted, too, but the limit holds only from the next call on.

        Raises:
            UsageError: guard is no Guard, or an option is unknown. At run time: the structured response has no such
                field, or none that holds text.
        """
        super().__init__()
        read_guard(guard, "GuardrailMiddleware(Guard())")
        if without_passages not in ("check", "skip"):
            raise UsageError(f"without_passages must be 'check' or 'skip', got {without_passages!r}.")
        self.guard, self._field, self._limit = guard, answer_field, model_call_limit
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

    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002  LangChain's signature
        """Count the model's calls behind the first one, which ModelCallLimitMiddleware counts itself."""
        message = next((m for m in reversed(state["messages"]) if isinstance(m, AIMessage)), None)
        about = message.response_metadata.get("guardrail", {}) if message is not None else {}
        more = about.get("model_calls", 1) - 1
        return _counted(state, more) if more else None

    def _answered(self, request: ModelRequest[Any], handler: Callable[..., Any]) -> Program[ModelResponse[Any]]:
        place = Place()
        made: list[ModelResponse[Any]] = []

        def call(request: ModelRequest[Any]) -> Program[Reply | None]:
            work: Work[ModelResponse[Any]] = same(handler, request)
            with suppress_tracing(self._hide_from):
                made.append((yield from self._alone(work, place)))
            return reply_in(made[-1], self._field)

        first = yield from call(request)
        if first is None:
            return made[0]
        replies = {first.text: first}

        def answering(feedback: Feedback) -> Program[str | None]:
            if not self._may_call(request, len(made)):
                return None
            last = replies.get(feedback.answer, first)
            more = [AIMessage(feedback.answer)] if last.field is None else last.response.result
            new = yield from call(request.override(messages=[*request.messages, *more, HumanMessage(feedback.text)]))
            if new is None or (new.field is None) is not (first.field is None):
                return ""  # the model calls tools instead, which ends the attempts
            return replies.setdefault(new.text, new).text

        passages = self._passages(request)
        if self._skips and not passages:
            return first.delivered(first.text, unchecked("no passages"), first.message.id, _usage(made))
        with place.check():
            work = guarded_run(
                self.guard,
                first.text,
                passages,
                Regenerators.of(answering) if self._regenerate else Regenerators(),
                question=question_in(request.messages),
                policy=configured(ensure_config(), "guardrail_policy"),
            )
            guarded = yield from self._alone(work, place)
        yield from tell(self._listener, guarded)
        about = summary(guarded) | {"model_calls": len(made)}
        best = replies.get(guarded.report.answer, first)
        return best.delivered(guarded.text, about, first.message.id, _usage(made))

    def _may_call(self, request: ModelRequest[Any], made: int) -> bool:
        """Whether the limit, if the caller gave one, allows one more call of the model after these."""
        if self._limit is None:
            return True
        state: Any = {**request.state, **_counted(request.state, made)}
        try:
            return self._limit.before_model(state, request.runtime) is None
        except ModelCallLimitExceededError:
            return False

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


def _counted(state: Mapping[str, Any], calls: int) -> dict[str, int]:
    """The counts of ModelCallLimitMiddleware with more calls."""
    return {name: state.get(name, 0) + calls for name in ("thread_model_call_count", "run_model_call_count")}


def _usage(made: Sequence[ModelResponse[Any]]) -> UsageMetadata | None:
    """Of all calls of the model; None where no message tells."""
    told = [m.usage_metadata for each in made for m in each.result if isinstance(m, AIMessage) and m.usage_metadata]
    return reduce(add_usage, told) if told else None
