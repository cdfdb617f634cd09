"""When a request is tried again: after failures that may pass, with jitter, as the server asks, inside the deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Event
from typing import Any

from guardrail.engines.llm.protocol import LLMError
from guardrail.engines.llm.requests.budget import Budget
from guardrail.engines.llm.requests.settings import CallSettings
from guardrail.errors import MissingExtraError

try:
    import tenacity
except ImportError as error:
    raise MissingExtraError(
        'The LLM engine needs tenacity: pip install "rag-guardrail[llm]" (or [openai], which holds it).'
    ) from error

_LONGEST_ASKED = 60.0
"""Seconds of a Retry-After that are waited for; no reader of an answer waits longer."""


def retrying(settings: CallSettings, budget: Budget, refused: Callable[[], bool], given_up: Event) -> tenacity.Retrying:
    """Calls a function up to ``settings.attempts`` times; the last error is raised.

    ``refused`` says that another request would fail at once, so that waiting for it is in vain; ``given_up`` ends a
    wait.
    """

    def sleep(seconds: float) -> None:
        given_up.wait(seconds)

    return tenacity.Retrying(sleep=sleep, **_options(settings, budget, refused))


def aretrying(settings: CallSettings, budget: Budget, refused: Callable[[], bool]) -> tenacity.AsyncRetrying:
    """The same for a coroutine function, whose waits end when its task is cancelled."""
    return tenacity.AsyncRetrying(sleep=asyncio.sleep, **_options(settings, budget, refused))


def _options(settings: CallSettings, budget: Budget, refused: Callable[[], bool]) -> dict[str, Any]:
    policy = _Policy(settings, budget, refused)
    retry = tenacity.retry_if_exception(_may_pass)
    return {"retry": retry, "wait": policy.wait, "stop": policy.stop, "reraise": True}


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, LLMError) and error.retryable


class _Policy:
    def __init__(self, settings: CallSettings, budget: Budget, refused: Callable[[], bool]) -> None:
        self._attempts = settings.attempts
        self._budget = budget
        self._refused = refused
        self._longest = max(settings.longest_wait, _LONGEST_ASKED)
        self._back_off = tenacity.wait_random_exponential(multiplier=settings.first_wait, max=settings.longest_wait)
        self._apart = tenacity.wait_random(0, settings.first_wait / 2)

    def wait(self, state: tenacity.RetryCallState) -> float:
        error = None if state.outcome is None else state.outcome.exception()
        asked = error.retry_after if isinstance(error, LLMError) else None
        # Many clients are told the same second: each adds a little of its own.
        return self._back_off(state) if asked is None else asked + self._apart(state)

    def stop(self, state: tenacity.RetryCallState) -> bool:
        if state.attempt_number >= self._attempts or self._budget.exhausted or self._refused():
            return True
        left = self._budget.seconds_left()
        return state.upcoming_sleep > self._longest or (left is not None and state.upcoming_sleep >= left)
