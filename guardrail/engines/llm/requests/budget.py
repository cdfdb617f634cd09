"""The budget of one answer: time and requests left, requests made, tokens, cost; and how providers count tokens."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypedDict

from guardrail.engines.llm.protocol import Completion, LLMError
from guardrail.errors import ConfigurationError
from guardrail.types import Cause, Usage

SPARE = 0.1
"""Seconds before the deadline that requests may not use: the engine puts its reply together in them."""

_INPUT = ("prompt_tokens", "input_tokens", "prompt_token_count", "prompt_eval_count")
_OUTPUT = ("completion_tokens", "output_tokens", "candidates_token_count", "eval_count")
_CACHED = ("cached_tokens", "cache_read", "cache_read_input_tokens", "prompt_cache_hit_tokens")
_DETAILS = ("prompt_tokens_details", "input_tokens_details", "input_token_details")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices per million tokens, in any one currency. ``cached``: of input that the provider's cache held."""

    input: float
    output: float
    cached: float | None = None

    def __post_init__(self) -> None:
        for name in ("input", "output", "cached"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise ConfigurationError(f"Prices: {name} must be a price per million tokens, got {value!r}.")

    def of(self, completion: Completion) -> float:
        """What a reply cost; tokens that the provider did not count are free."""
        total = completion.input_tokens or 0
        cached = min(completion.cached_tokens or 0, total)
        again = self.input if self.cached is None else self.cached
        spent = (total - cached) * self.input + cached * again + (completion.output_tokens or 0) * self.output
        return spent * completion.price_share / 1_000_000


class Budget:
    """One answer's budget, shared by its threads and tasks. A request that time ran out on before it was sent counts.

    Args:
        deadline: A ``time.monotonic()`` value; None = no limit.
        calls_left: Requests that may be made, retries included; None = no limit.
        prices: Without them the cost is None.
    """

    def __init__(self, deadline: float | None, calls_left: int | None, prices: Prices | None) -> None:
        self._deadline = deadline
        self._calls_left = calls_left
        self._prices = prices
        self._usage = Usage(cost=None if prices is None else 0.0)
        self._lock = Lock()

    @property
    def usage(self) -> Usage:
        """Everything so far."""
        return self._usage

    @property
    def exhausted(self) -> bool:
        """Whether no request is left."""
        return self._calls_left is not None and self._calls_left <= 0

    def seconds_left(self) -> float | None:
        """Seconds for requests, at least 0 (see SPARE); None = no limit."""
        return None if self._deadline is None else max(0.0, self._deadline - SPARE - time.monotonic())

    def charge_call(self, *, again: bool) -> None:
        """One request is about to be made; ``again``: it repeats one that failed.

        Raises:
            LLMError: none is left.
        """
        with self._lock:
            if self.exhausted:
                made = self._usage.calls
                raise LLMError(f"the answer's budget of requests is spent ({made} made)", cause=Cause.BUDGET)
            self._count(Usage(calls=1, retries=int(again)))

    def add(self, completion: Completion) -> float | None:
        """The reply to a request that was taken, or what a failed one cost. Returns its cost; None = no prices."""
        extra = max(0, completion.calls - 1)
        cost = None if self._prices is None else self._prices.of(completion)
        with self._lock:
            self._count(
                Usage(
                    calls=extra,
                    retries=extra,
                    input_tokens=completion.input_tokens or 0,
                    cached_tokens=completion.cached_tokens or 0,
                    output_tokens=completion.output_tokens or 0,
                    cost=cost,
                )
            )
        return cost

    def close_round(self, calls_before: int) -> None:
        """A round is over; it counts if it made a request."""
        with self._lock:
            if self._usage.calls > calls_before:
                self._count(Usage(rounds=1))

    def _count(self, more: Usage) -> None:
        self._usage += more
        if self._calls_left is not None:
            self._calls_left -= more.calls


class Tokens(TypedDict):
    """Counts of a Completion; None = not counted."""

    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None


def read_tokens(usage: object) -> Tokens:
    """The counts in a provider's usage.

    Args:
        usage: A mapping or object of the provider; None and strangers give no counts.
    """
    cached = _first(usage, _CACHED)
    for name in _DETAILS:
        cached = _first(_field(usage, name), _CACHED) if cached is None else cached
    return {"input_tokens": _first(usage, _INPUT), "cached_tokens": cached, "output_tokens": _first(usage, _OUTPUT)}


def _first(owner: object, names: tuple[str, ...]) -> int | None:
    found = (_field(owner, name) for name in names)
    return next((n for n in found if isinstance(n, int) and not isinstance(n, bool) and n >= 0), None)


def _field(owner: object, name: str) -> Any:
    return owner.get(name) if isinstance(owner, Mapping) else getattr(owner, name, None)
