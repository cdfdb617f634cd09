"""Stages of a check: a span and a duration each, inside the active observation or on their own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from opentelemetry.trace import Span, get_current_span

from guardrail.telemetry import spans
from guardrail.telemetry.observation import Observation, active
from guardrail.telemetry.settings import Telemetry
from guardrail.telemetry.spans import holding

_KINDS = {"verify": "EVALUATOR", "recheck": "EVALUATOR", "retrieve": "RETRIEVER"}
_ALWAYS = frozenset({"verify", "retrieve", "regenerate", "rewrite", "recheck", "decide", "repair"})
"""Stages that have a span also where an answer is checked piece by piece."""


_AT_WORK: ContextVar[Span | None] = ContextVar("guardrail_stage", default=None)
"""Span of the stage: the current one may be a service's own, of an engine that opens one, say."""


@contextmanager
def stage(name: str) -> Iterator[Span]:
    """A stage, whose span is current inside the block."""
    seen = active()
    shown = seen is None or not seen.sparse or name in _ALWAYS
    span = get_current_span()
    if shown:
        span = spans.start(settings_of(seen).tracer, f"guardrail.{name}", _KINDS.get(name, "CHAIN"))
    started = time.perf_counter()
    try:
        with spans.current(span), holding(_AT_WORK, span):
            yield span
    finally:
        if seen is not None and name != "recheck":  # its own stages are recorded one by one
            seen.add_stage(name, time.perf_counter() - started)
        if shown:
            spans.end(span)


def record_error(error: Exception) -> None:
    """The type of an error, on the span of the stage at work; its message may hold texts."""
    if (span := _AT_WORK.get()) is not None:
        spans.describe(span, {"error.type": spans.error_type(error)})


def record_attempt(step: str, *, answered: bool) -> None:
    """A regeneration or rewrite was tried."""
    if (seen := active()) is not None:
        seen.record_attempt(step, answered=answered)


def settings_of(seen: Observation | None) -> Telemetry:
    """The settings of an observation; the standard ones where an engine works on its own."""
    return _standard() if seen is None else seen.settings


@cache
def _standard() -> Telemetry:
    return Telemetry()
