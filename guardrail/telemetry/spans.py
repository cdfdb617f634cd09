"""Spans by opentelemetry-api. A broken SDK never changes a decision: its errors end here."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from typing import TypeVar

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanContext, SpanKind, Tracer

from guardrail.errors import EngineError

SCHEMA = "2"
"""Of names and attributes: they are part of the public contract (docs/monitoring.md)."""

Value = str | bool | int | float | Sequence[str]

T = TypeVar("T")

_log = logging.getLogger(__name__)

# What OpenTelemetry's and OpenInference's instrumentations set and look at; the API has no public name for the first.
_SUPPRESS = (
    getattr(context, "_SUPPRESS_INSTRUMENTATION_KEY", "suppress_instrumentation"),
    "suppress_instrumentation",
)

_HTTP_CLIENTS = "opentelemetry.instrumentation.httpx"
_LANGFUSE = {"GUARDRAIL": "guardrail", "EVALUATOR": "evaluator", "RETRIEVER": "retriever", "LLM": "generation"}


def start(
    tracer: Tracer,
    name: str,
    kind: str,
    attributes: Mapping[str, Value] | None = None,
    *,
    within: Context | None = None,
    client: bool = False,
) -> Span:
    """A new span, not current yet.

    Args:
        tracer: Makes it.
        name: Its name.
        kind: Its kind in OpenInference's words: GUARDRAIL, EVALUATOR, CHAIN, RETRIEVER or LLM.
        attributes: More attributes.
        within: Context of its parent; None = the current one.
        client: Whether it stands for a request to another service.
    """
    if suppressed(within):
        return _stand_in(within)
    described: dict[str, Value] = {
        "guardrail.schema": SCHEMA,
        "openinference.span.kind": kind,
        "langfuse.observation.type": _LANGFUSE.get(kind, "span"),
        **(attributes or {}),
    }
    try:
        span = tracer.start_span(
            name, context=within, kind=SpanKind.CLIENT if client else SpanKind.INTERNAL, attributes=described
        )
    except Exception as error:
        _log.debug("no span", exc_info=error)
        return _stand_in(within)
    return span if isinstance(span, Span) else _stand_in(within)


def _stand_in(within: Context | None) -> Span:
    """What stands where there is no span: its children hang under the parent that it would have had."""
    return trace.NonRecordingSpan(identity(trace.get_current_span(within)))


def current(span: Span) -> AbstractContextManager[Span]:
    """Make the span the current one inside the block, without ending it."""
    return _Current(span)


class _Current:
    """As ``trace.use_span``, which costs more and asks the span things when an error passes."""

    __slots__ = ("_span", "_token")

    def __init__(self, span: Span) -> None:
        self._span = span

    def __enter__(self) -> Span:
        self._token = context.attach(trace.set_span_in_context(self._span))
        return self._span

    def __exit__(self, *_: object) -> None:
        context.detach(self._token)


def identity(span: Span) -> SpanContext:
    """Which span it is; an invalid one where it does not say."""
    try:
        return span.get_span_context()
    except Exception as error:
        _log.debug("a span without identity", exc_info=error)
        return trace.INVALID_SPAN_CONTEXT


def recording(span: Span) -> bool:
    """Whether anybody wants to know about the span."""
    try:
        return span.is_recording()
    except Exception as error:
        _log.debug("a span that is broken", exc_info=error)
        return False


def describe(span: Span, attributes: Mapping[str, Value]) -> None:
    """Set attributes."""
    try:
        span.set_attributes(dict(attributes))
    except Exception as error:
        _log.debug("attributes could not be set", exc_info=error)


def end(span: Span) -> None:
    """End the span."""
    try:
        span.end()
    except Exception as error:
        _log.debug("the span could not be ended", exc_info=error)


def error_type(error: BaseException) -> str:
    """What kind of error it is, never its message: the cause that an engine's error names, else its class."""
    cause = error.cause if isinstance(error, EngineError) else None
    return type(error).__name__ if cause is None else cause.value


def suppressed(within: Context | None = None) -> bool:
    """Whether somebody asked instrumentations to be quiet here."""
    return any(context.get_value(key, within) for key in _SUPPRESS)


def quiet() -> Context:
    """The current context, in which instrumentations of clients make no spans of their own."""
    here = context.get_current()
    for key in _SUPPRESS:
        here = context.set_value(key, True, here)
    return here


def trace_headers() -> dict[str, str]:
    """Headers of the current span, by which a gateway joins the trace; {} where HTTP clients are not instrumented.

    Around a judge's request that instrumentation is suppressed (``quiet``), and then it sets no headers either.
    """
    if _HTTP_CLIENTS not in sys.modules:
        return {}
    headers: dict[str, str] = {}
    try:
        from opentelemetry import propagate  # slow: it looks for installed propagators

        propagate.inject(headers)
    except Exception as error:
        _log.debug("no headers of the trace", exc_info=error)
    return headers


@contextmanager
def holding(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Set a variable of this thread or task inside the block.

    A generator around the block may be closed, or go on, in another context than it began in (web servers read each
    piece of a sync stream in a context of its own): nothing is put back there, and nothing is raised.
    """
    token = variable.set(value)
    try:
        yield
    finally:
        with suppress(ValueError):  # the other context never saw the value
            variable.reset(token)
