"""Stages of a check: a span and a duration each, inside the active observation or on their own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
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
    open_stage = _Open(name)
    try:
        with open_stage.current():
            yield open_stage.span
    finally:
        open_stage.end()


def record_error(error: Exception) -> None:
    """The type of an error, on the span of the stage at work; its message may hold texts."""
    if (span := _AT_WORK.get()) is not None:
        spans.describe(span, {"error.type": spans.error_type(error)})


def record_attempt(step: str, *, answered: bool) -> None:
    """A regeneration or rewrite was tried."""
    if (seen := active()) is not None:
        seen.record_attempt(step, answered=answered)


class Stages:
    """The stages of one check, one after the other: entering one ends the one before."""

    def __init__(self) -> None:
        self._open: _Open | None = None
        self._over = False

    def enter(self, name: str) -> None:
        """The stage before is over and this one begins."""
        self._end()
        if not self._over:
            self._open = _Open(name)
        if self._over:  # whoever waited has gone, while this went on in a thread
            self._end()

    def current(self) -> AbstractContextManager[Span | None]:
        """What is done inside the block is done in the stage that is open."""
        return nullcontext() if self._open is None else self._open.current()

    def end(self) -> None:
        """The last stage is over, also where a thread enters one later."""
        self._over = True
        self._end()

    def _end(self) -> None:
        stage, self._open = self._open, None
        if stage is not None:
            stage.end()


class _Open:
    def __init__(self, name: str) -> None:
        self.name, self.seen = name, active()
        self.shown = self.seen is None or not self.seen.sparse or name in _ALWAYS
        self.span = get_current_span()
        if self.shown:
            self.span = spans.start(settings_of(self.seen).tracer, f"guardrail.{name}", _KINDS.get(name, "CHAIN"))
        self.started = time.perf_counter()

    @contextmanager
    def current(self) -> Iterator[Span]:
        with spans.current(self.span), holding(_AT_WORK, self.span):
            yield self.span

    def end(self) -> None:
        seconds = time.perf_counter() - self.started
        if self.seen is not None and self.name != "recheck":  # its own stages are recorded one by one
            self.seen.add_stage(self.name, seconds)
        if self.shown:
            spans.end(self.span)


def settings_of(seen: Observation | None) -> Telemetry:
    """The settings of an observation; the standard ones where an engine works on its own."""
    return _standard() if seen is None else seen.settings


@cache
def _standard() -> Telemetry:
    return Telemetry()
