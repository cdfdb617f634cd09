"""What a guarded chain and a guarded node share: one call, written once for sync and async."""

from __future__ import annotations

import inspect
import logging
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
from langchain_core.runnables import Runnable, RunnableConfig

from guardrail import Guard, GuardedAnswer, UsageError
from guardrail.check.drivers import Program, Work, arun, run
from guardrail.wrap.kinds import HideFrom, Regenerators, guarded_run
from guardrail.wrap.time_limit import NoAnswerInTime, within
from guardrail_langchain.answers import summary
from guardrail_langchain.callbacks import disable_langsmith, inner_config, suppress_tracing
from guardrail_langchain.documents import Retrieved, to_passages
from guardrail_langchain.parts import Parts, configured
from guardrail_langchain.regeneration import Call, Regeneration
from guardrail_langchain.shape import shape_of
from guardrail_langchain.spans import Place

Listener = Callable[[GuardedAnswer], object]
"""Hears of every checked answer, with its report: for logs and metrics. May be async where the caller is."""

_log = logging.getLogger(__name__)


def tell(listener: Listener | None, guarded: GuardedAnswer) -> Program[None]:
    """Tell the listener of an answer; what it raises is logged, and the answer is delivered all the same.

    Raises:
        UsageError: the driver is sync, and the listener is async.
    """
    if listener is None:
        return

    def here() -> None:
        told = _heard(listener, guarded)
        if inspect.isawaitable(told):
            if inspect.iscoroutine(told):
                told.close()
            raise UsageError("the listener is async. Use ainvoke or astream, or pass one that is not.")

    async def awaited() -> None:
        told = _heard(listener, guarded)
        if inspect.isawaitable(told):
            try:
                await told
            except Exception as error:
                _log.warning("the listener failed: %s", type(error).__name__, exc_info=error)

    yield Work(here, awaited)


def _heard(listener: Listener, guarded: GuardedAnswer) -> object:
    try:
        return listener(guarded)
    except Exception as error:
        _log.warning("the listener failed: %s", type(error).__name__, exc_info=error)
        return None


@dataclass(frozen=True, slots=True)
class Begun:
    """One call's surroundings.

    Attributes:
        config: The call's own.
        inner: That of the runs inside.
        retrieved: What retrievers inside return.
        place: Where its spans hang.
    """

    config: RunnableConfig
    inner: RunnableConfig
    retrieved: Retrieved | None
    place: Place


class GuardedRunnable(Runnable[Any, Any]):
    """A Runnable whose answer is checked. Holds no state of a call, so one object serves concurrent calls."""

    answer_timeout: float | None = None
    """Seconds for what is inside to answer, or to begin its stream; None = as long as it takes."""

    def __init__(
        self,
        inner: Runnable[Any, Any] | None,
        guard: Guard,
        parts: Parts,
        regeneration: Regeneration | None,
        hide_from: HideFrom,
        listener: Listener | None,
    ) -> None:
        self.inner, self.guard, self.parts, self.regeneration = inner, guard, parts, regeneration
        self.hide_from, self.listener = hide_from, listener

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002  LangChain's name
        """Run what is inside, check its answer, and deliver what the policy allows."""

        def call(value: Any, run_manager: CallbackManagerForChainRun, config: RunnableConfig) -> Any:
            return run(self._answered(value, self.begin(config, run_manager), kwargs))

        return self._call_with_config(call, input, config, run_type="chain")

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        """The same without blocking the event loop."""

        async def call(value: Any, run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig) -> Any:
            return await arun(self._answered(value, self.begin(config, run_manager), kwargs))

        return await self._acall_with_config(call, input, config, run_type="chain")

    @abstractmethod
    def _answered(self, given: Any, begun: Begun, options: Mapping[str, Any]) -> Program[Any]:
        """What one call returns."""

    @property
    def hides_inner_runs_from(self) -> HideFrom:
        """Who does not hear of the runs inside."""
        return self.hide_from

    def begin(
        self, config: RunnableConfig, run_manager: CallbackManagerForChainRun | AsyncCallbackManagerForChainRun
    ) -> Begun:
        """Begin a call, in a context of its own (as ``_call_with_config`` makes)."""
        disable_langsmith(self.hide_from)
        place = Place(run_manager.run_id)
        retrieved = Retrieved() if self.inner is not None and self.parts.wants_callback else None
        inner = inner_config(config, run_manager, self.hides_inner_runs_from, retrieved, place.written)
        return Begun(config, inner, retrieved, place)

    def verdict(self, guarded: GuardedAnswer) -> Any:
        """What the key ``guardrail`` holds."""
        # Whoever hears of the wrapper's own run sees its output: where nobody may see the raw answer, no report either.
        return summary(guarded) if self.hide_from == "all" else guarded

    def _output(
        self,
        inner: Runnable[Any, Any],
        given: Any,
        begun: Begun,
        options: Mapping[str, Any],
    ) -> Program[Any]:
        """What is inside says. Raises NoAnswerInTime where that takes too long."""
        with suppress_tracing(self.hide_from):
            work: Work[Any] = Work(
                partial(inner.invoke, given, begun.inner, **options),
                partial(inner.ainvoke, given, begun.inner, **options),
            )
            return (yield within(self.answer_timeout, work))

    def unanswered(self, given: Any, begun: Begun, late: NoAnswerInTime) -> Program[Any]:
        """What one call returns where the chain gave no answer in time.

        Raises:
            NoAnswerInTime: nobody knows the shape of its answers, or they are objects.
        """
        shape = None if self.inner is None else shape_of(self.inner, self.parts)
        if shape is None:
            raise late
        question, policy = self.parts.find_question(given, None), configured(begun.config, "guardrail_policy")
        guarded = self.guard.unanswered(str(late), question=question, policy=policy)
        yield from tell(self.listener, guarded)
        return shape(guarded, self.verdict(guarded))

    def _checked(self, text: str, call: Call, begun: Begun) -> Program[GuardedAnswer]:
        regenerators = (
            Regenerators() if self.regeneration is None else Regenerators.of(partial(self.regeneration.answered, call))
        )
        passages, policy = to_passages(call.documents), configured(begun.config, "guardrail_policy")
        with begun.place.check():
            guarded: GuardedAnswer = yield guarded_run(
                self.guard, text, passages, regenerators, question=call.question, policy=policy
            )
        yield from tell(self.listener, guarded)
        return guarded
