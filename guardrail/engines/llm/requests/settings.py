"""How requests to a model are made: time, retries, concurrency, budget."""

from __future__ import annotations

import math
from dataclasses import dataclass

from guardrail.errors import ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSettings:
    """Limits of one engine's requests; times are in seconds.

    Attributes:
        timeout: Time of one request, from its start to the whole reply. A guard's deadline shortens it.
        attempts: Requests for one prompt at most, 1 = no retries. Only failures that may pass are tried again.
        first_wait: Back-off before the first retry, at most: it is drawn from 0 to this and doubles every time.
        longest_wait: Bound of the back-off. A longer Retry-After of the server is honoured up to a minute.
        concurrency: Requests at once, over all threads; and again over all tasks of each event loop.
        max_calls: Requests for one answer, retries included; None = no limit.
        breaker_failures: After so many failures in a row, over all answers, requests fail at once (not counted:
            failures that may not pass, those with a Retry-After, and requests that a deadline cut to less than 3 s).
            Take more than ``concurrency``, or one hiccup that breaks all requests under way opens the breaker.
        breaker_seconds: How long they do; then one is let through to see.

    Raises:
        ConfigurationError: a number is out of its range.
    """

    timeout: float = 30.0
    attempts: int = 3
    first_wait: float = 0.5
    longest_wait: float = 8.0
    concurrency: int = 8
    max_calls: int | None = 64
    breaker_failures: int = 10
    breaker_seconds: float = 30.0

    def __post_init__(self) -> None:
        for name in ("timeout", "breaker_seconds"):
            _check(name, getattr(self, name), lowest=0.0, open_end=True)
        for name in ("first_wait", "longest_wait"):
            _check(name, getattr(self, name), lowest=0.0)
        for name in ("attempts", "concurrency", "breaker_failures"):
            _check(name, getattr(self, name), lowest=1, whole=True)
        if self.max_calls is not None:
            _check("max_calls", self.max_calls, lowest=0, whole=True)


def _check(name: str, value: float, *, lowest: float, open_end: bool = False, whole: bool = False) -> None:
    kinds = int if whole else (int, float)
    good = isinstance(value, kinds) and not isinstance(value, bool) and math.isfinite(value)
    if not good or value < lowest or (open_end and value == lowest):
        kind = "a whole number" if whole else "a number"
        bound = f"above {lowest:g}" if open_end else f"of at least {lowest:g}"
        raise ConfigurationError(f"CallSettings: {name} must be {kind} {bound}, got {value!r}.")
