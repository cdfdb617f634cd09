"""Requests to a model, made so that an answer always comes back: in time, in the budget, with every failure told.

A failed request is a value (an LLMError in its place), never an exception. Sync and async differ only in how they wait.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event

from guardrail import telemetry
from guardrail.check import drivers
from guardrail.check.threads import in_thread
from guardrail.engines.llm.protocol import (
    LLM,
    AsyncLLM,
    Completion,
    LLMError,
    Prompt,
    Replies,
    Reply,
    Round,
    Steps,
    T,
    provider_of,
)
from guardrail.engines.llm.requests.breaker import Breaker
from guardrail.engines.llm.requests.budget import Budget, Prices
from guardrail.engines.llm.requests.limits import ConcurrencyLimit
from guardrail.engines.llm.requests.settings import CallSettings
from guardrail.errors import (
    ConfigurationError,
    EngineError,
    GuardrailError,
    UsageError,
    cause_of,
    rust_panics_as_errors,
)
from guardrail.types import Cause

__all__ = ["Budget", "CallSettings", "Calls", "Prices"]

_GRACE = 0.05
"""Seconds past its timeout that a request may take to notice it; then nobody waits for it."""

_FAIR = 3.0
"""Seconds in which a server that works should have replied: that it did not within them does speak against it."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Ask:
    """One prompt on its way; ``sent`` counts its requests."""

    prompt: Prompt
    budget: Budget
    sent: int = 0


@dataclass(slots=True)
class _Request:
    """One request under way: its timeout in seconds, and its reply once it is there."""

    timeout: float
    reply: list[Completion] = field(default_factory=list)


class Calls:
    """Makes the requests of an engine; shared by its answers, threads and tasks.

    Args:
        llm: A model; its own retries should be off.
        settings: See CallSettings.

    Raises:
        ConfigurationError: ``llm`` is no model.
        UsageError: its ``complete`` is a coroutine function.
        MissingExtraError: tenacity is not installed.
    """

    def __init__(self, llm: LLM | AsyncLLM, settings: CallSettings | None = None) -> None:
        self._complete, self._acomplete = _ways(llm)
        from guardrail.engines.llm.requests import retries

        self.settings = settings or CallSettings()
        self._model, self._provider = llm.model, provider_of(llm)
        self._retries = retries
        self._breaker = Breaker(self.settings.breaker_failures, self.settings.breaker_seconds)
        self._limit = ConcurrencyLimit(self.settings.concurrency)

    def run(self, steps: Steps[T], budget: Budget) -> T:
        """Perform the rounds of ``steps`` and return its result.

        Raises:
            UsageError: the model can only be awaited.
        """
        return drivers.run(steps, lambda prompts: self.perform(prompts, budget))

    async def arun(self, steps: Steps[T], budget: Budget) -> T:
        """The same without blocking the event loop; steps work in a thread, since they may ask a cache far away."""
        return await drivers.arun(steps, lambda prompts: self.aperform(prompts, budget), in_threads=True)

    def perform(self, prompts: Round, budget: Budget) -> Replies:
        """Replies to ``prompts`` in their order; an LLMError stands for a request that failed.

        Raises:
            UsageError: the model can only be awaited.
        """
        if self._complete is None:
            raise UsageError(
                f"the model {self._model!r} can only be awaited (it has no `complete`). "
                "Use `await guard.acheck(...)` or `await guard.arun(...)`."
            )
        before = budget.usage.calls
        replies: list[Reply] = [LLMError("no request was made")] * len(prompts)
        todo = deque(enumerate(prompts))
        given_up = Event()

        def work() -> None:
            while not given_up.is_set():
                try:
                    number, prompt = todo.popleft()
                except IndexError:
                    return
                replies[number] = self._reply(_Ask(prompt, budget), given_up)

        try:
            helpers = [in_thread(work) for _ in range(min(len(prompts), self.settings.concurrency) - 1)]
            work()
            for helper in helpers:
                helper.result()
        finally:
            given_up.set()
            budget.close_round(before)
        return tuple(replies)

    async def aperform(self, prompts: Round, budget: Budget) -> Replies:
        """The same without blocking the event loop; a model that has only ``complete`` works in threads."""
        before = budget.usage.calls
        tasks = [asyncio.ensure_future(self._areply(_Ask(prompt, budget))) for prompt in prompts]
        try:
            return tuple(await asyncio.gather(*tasks))
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise
        finally:
            budget.close_round(before)

    def _reply(self, ask: _Ask, given_up: Event) -> Reply:
        retrying = self._retries.retrying(self.settings, ask.budget, lambda: self._refuses(given_up), given_up)
        try:
            reply: Completion = retrying(self._attempt, ask)
        except LLMError as error:
            return _bare(error)
        return reply

    async def _areply(self, ask: _Ask) -> Reply:
        retrying = self._retries.aretrying(self.settings, ask.budget, lambda: self._breaker.refuses)
        try:
            reply: Completion = await retrying(self._aattempt, ask)
        except LLMError as error:
            return _bare(error)
        return reply

    def _refuses(self, given_up: Event) -> bool:
        return given_up.is_set() or self._breaker.refuses

    def _attempt(self, ask: _Ask) -> Completion:
        complete = _there(self._complete)
        self._breaker.check()
        with self._limit.acquire(ask.budget), self._request(ask) as request:
            # In a thread, since a server that trickles its reply outlasts every socket timeout.
            future = in_thread(lambda: _told(lambda: complete(ask.prompt, timeout=request.timeout)))
            try:
                request.reply.append(future.result(request.timeout + _GRACE))
            except FutureTimeout:
                raise _late(request.timeout) from None
        return request.reply[0]

    async def _aattempt(self, ask: _Ask) -> Completion:
        self._breaker.check()
        async with self._limit.aacquire(ask.budget):
            with self._request(ask) as request:
                try:
                    async with asyncio.timeout(request.timeout + _GRACE):
                        request.reply.append(await self._awaited(ask.prompt, request.timeout))
                except TimeoutError:
                    raise _late(request.timeout) from None
        return request.reply[0]

    async def _awaited(self, prompt: Prompt, seconds: float) -> Completion:
        acomplete = self._acomplete
        if acomplete is None:
            complete = _there(self._complete)
            return await asyncio.wrap_future(in_thread(lambda: _told(lambda: complete(prompt, timeout=seconds))))
        try:
            with rust_panics_as_errors():
                return _checked(await acomplete(prompt, timeout=seconds))
        except Exception as error:
            raise _own(error) from None

    @contextmanager
    def _request(self, ask: _Ask) -> Iterator[_Request]:
        """Budget, breaker, account and span around one request."""
        left = ask.budget.seconds_left()
        if left == 0:
            raise LLMError("no time left before the deadline", cause=Cause.TIMEOUT)
        allowed = self.settings.timeout
        request = _Request(allowed if left is None else min(allowed, left))
        with self._breaker.admit() as ticket:
            ask.budget.charge_call(again=ask.sent > 0)
            ask.sent += 1
            started = time.monotonic()
            prompt = ask.prompt
            with telemetry.chat(self._model, self._provider, prompt.identity, prompt.system, prompt.user) as asked:
                try:
                    yield request
                except LLMError as error:
                    # Neither a request that the deadline cut short speaks against the server, nor one that it put off:
                    # a round that is too much for a rate limit must not stop all answers.
                    fair = min(allowed / 2, _FAIR)
                    hurried = request.timeout < fair and time.monotonic() - started >= 0.9 * request.timeout
                    excused = error.retryable and (hurried or error.retry_after is not None)
                    ticket.answered = None if excused else not error.retryable
                    ticket.error = str(error)
                    if error.spent is not None:
                        _charge(asked, error.spent, ask.budget.add(error.spent))
                    raise
                ticket.answered = True
                reply = request.reply[0]
                asked.reply = reply.text
                _charge(asked, reply, ask.budget.add(reply))


def _charge(asked: telemetry.Chat, reply: Completion, cost: float | None) -> None:
    asked.set_usage(reply.input_tokens, reply.cached_tokens, reply.output_tokens, cost)


Complete = Callable[..., Completion]
AComplete = Callable[..., Awaitable[Completion]]


def _ways(llm: LLM | AsyncLLM) -> tuple[Complete | None, AComplete | None]:
    complete = llm.complete if isinstance(llm, LLM) else None
    acomplete = llm.acomplete if isinstance(llm, AsyncLLM) else None
    if complete is None and acomplete is None:
        raise ConfigurationError(
            f"llm must have `model` and `complete` (or `acomplete`), got {type(llm).__name__}. "
            "Wrap it: OpenAILLM, LangChainLLM or LlamaIndexLLM."
        )
    if inspect.iscoroutinefunction(complete):
        raise UsageError(f"`complete` of {type(llm).__name__} is a coroutine function. Call it `acomplete`.")
    return complete, acomplete


def _there(complete: Complete | None) -> Complete:
    if complete is None:
        raise TypeError("a model without `complete` is refused or awaited")
    return complete


def _told(work: Callable[[], object]) -> Completion:
    """The completion, or why there is none as an error of ours."""
    try:
        with rust_panics_as_errors():
            return _checked(work())
    except Exception as error:
        raise _own(error) from None


def _checked(reply: object) -> Completion:
    if not isinstance(reply, Completion) or not isinstance(reply.text, str):
        got = type(reply).__name__
        raise LLMError(f"the model object returned {got} instead of a Completion", cause=Cause.REPLY)
    return reply


def _own(error: Exception) -> GuardrailError:
    """Messages of foreign errors may hold texts or keys: they go to the debug log of the service, never further."""
    if isinstance(error, LLMError):
        return error
    if isinstance(error, EngineError):
        return LLMError(str(error), cause=error.cause)
    if isinstance(error, GuardrailError):  # the caller's mistake
        return error
    _log.debug("the model object raised", exc_info=error)
    passing = isinstance(error, (TimeoutError, ConnectionError))
    return LLMError(type(error).__name__, retryable=passing, cause=cause_of(error))


def _late(timeout: float) -> LLMError:
    return LLMError(f"no reply within {timeout:.3g} s", retryable=True, cause=Cause.TIMEOUT)


def _bare(error: LLMError) -> LLMError:
    """Without its frames, which hold the prompt, and without the vendor's error, which may hold a key."""
    error.__context__ = error.__cause__ = None
    return error.with_traceback(None)
