"""A limit on the time that a wrapped chain or engine takes to answer: its retriever may hang, or its model."""

from __future__ import annotations

import time
from typing import TypeVar

from guardrail.check.boundary import until
from guardrail.check.drivers import Work
from guardrail.errors import ConfigurationError, EngineTimeout

T = TypeVar("T")


class NoAnswerInTime(EngineTimeout):
    """What is wrapped gave no answer before its ``answer_timeout`` was over."""


def read_seconds(seconds: object) -> float | None:
    """The ``answer_timeout`` of a wrapper. Raises ConfigurationError where it is no positive number."""
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds > 0:
        raise ConfigurationError(f"answer_timeout must be positive seconds or None, got {seconds!r}.")
    return float(seconds)


def within(seconds: float | None, work: Work[T]) -> Work[T]:
    """The work, with so many seconds from now on; None = as long as it takes; see before."""
    return before(None if seconds is None else time.monotonic() + seconds, work, seconds)


def before(deadline: float | None, work: Work[T], seconds: float | None) -> Work[T]:
    """The work, with a deadline (``time.monotonic()``); None = as long as it takes.

    Sync work is done in a thread that is left to itself at the end, awaited work is cancelled.

    Args:
        deadline: When the time is over.
        work: To be done.
        seconds: How long it was, for the message.

    Raises:
        NoAnswerInTime: the time is over.
    """
    if deadline is None or seconds is None:
        return work
    late = NoAnswerInTime(f"there was no answer within {seconds:g} s")
    return until(deadline, work.here, work.awaited, grace=0.0, late=late)
