"""Circuit breaker: after failures in a row, requests fail at once instead of one by one (M. Nygard, Release It!).

Closed, requests pass and failures in a row are counted. Open, none passes. Half open, after a while, one passes to
see: its success closes the breaker, its failure opens it again. Only what a request says of the server counts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from guardrail.engines.llm.protocol import LLMError
from guardrail.types import Cause


class Ticket:
    """Leave for one request; ``answered`` says how the server did, None = it cannot be told; ``error`` what it said."""

    __slots__ = ("answered", "era", "error", "probe")

    def __init__(self, era: int, *, probe: bool) -> None:
        self.era = era
        self.probe = probe
        self.answered: bool | None = None
        self.error = ""


class Breaker:
    """Shared by all answers, threads and tasks of an engine.

    Args:
        failures: Failures in a row that open it.
        seconds: How long it stays open.
    """

    def __init__(self, failures: int, seconds: float) -> None:
        self._limit = failures
        self._seconds = seconds
        self._lock = Lock()
        self._failures = 0
        self._opened: float | None = None
        self._probing = False
        self._last = ""
        self._era = 0  # replies to requests of an earlier state say nothing of this one

    @property
    def refuses(self) -> bool:
        """Whether a request made now would fail at once."""
        with self._lock:
            return self._refusal() is not None

    def check(self) -> None:
        """Raises LLMError where a request made now would fail at once."""
        with self._lock:
            refusal = self._refusal()
        if refusal is not None:
            raise refusal

    @contextmanager
    def admit(self) -> Iterator[Ticket]:
        """Leave for the request made in the block.

        Raises:
            LLMError: the breaker is open.
        """
        with self._lock:
            refusal = self._refusal()
            if refusal is not None:
                raise refusal
            ticket = Ticket(self._era, probe=self._opened is not None)
            self._probing = self._probing or ticket.probe
        try:
            yield ticket
        finally:
            self._settle(ticket)

    def _refusal(self) -> LLMError | None:
        if self._opened is None:
            return None
        left = self._opened + self._seconds - time.monotonic()
        if left <= 0 and not self._probing:
            return None
        when = f"for {math.ceil(left)} s" if left > 0 else "until a trial request is answered"
        return LLMError(
            f"no request made: the model failed {self._limit} times in a row ({self._last}), none is made {when}",
            cause=Cause.BUDGET,
        )

    def _settle(self, ticket: Ticket) -> None:
        with self._lock:
            if ticket.era != self._era:
                return
            if ticket.probe:
                self._probing = False
            if ticket.answered:
                self._failures = 0
                if ticket.probe:
                    self._opened = None
                    self._era += 1
            elif ticket.answered is False:
                self._failures += 1
                self._last = ticket.error
                if ticket.probe or self._failures >= self._limit:
                    self._opened = time.monotonic()
                    self._failures = 0
                    self._era += 1
