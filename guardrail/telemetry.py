"""Spans of the guard, through opentelemetry-api only: without an SDK in the application they cost microseconds.

Texts of answers and passages never enter a span, and neither do messages of errors. Names and attributes are part of
the public contract (SCHEMA). A broken SDK or exporter never changes a decision: its errors end here.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict

from opentelemetry import trace
from opentelemetry.trace import SpanKind

from guardrail.types import Decision, Report, Verdict

SCHEMA = "1"
_log = logging.getLogger(__name__)
_tracer = trace.get_tracer("guardrail")


def span(name: str) -> AbstractContextManager[trace.Span]:
    """A span named ``guardrail.<name>``, current inside the block."""
    return _span(f"guardrail.{name}", SpanKind.INTERNAL, {})


def chat(model: str, prompt: str) -> AbstractContextManager[trace.Span]:
    """A span of one request to a model, with OpenTelemetry's attributes for it; ``prompt`` is a prompt's identity."""
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": model, "guardrail.prompt": prompt}
    return _span(f"chat {model}", SpanKind.CLIENT, attributes)


@contextmanager
def _span(name: str, kind: SpanKind, attributes: dict[str, str]) -> Iterator[trace.Span]:
    try:
        current = _tracer.start_span(name, kind=kind, attributes={"guardrail.schema": SCHEMA, **attributes})
    except Exception as error:
        _log.debug("no span", exc_info=error)
        current = trace.INVALID_SPAN
    with trace.use_span(current, end_on_exit=False, record_exception=False, set_status_on_exception=False):
        try:
            yield current
        finally:
            try:
                current.end()
            except Exception as error:
                _log.debug("the span could not be ended", exc_info=error)


def describe_error(current: trace.Span, error: Exception) -> None:
    """The type of an error; its message may hold texts."""
    _set(current, {"error.type": type(error).__name__})


def describe_tokens(current: trace.Span, input_tokens: int | None, output_tokens: int | None) -> None:
    """Tokens of a request, where the provider counts them."""
    counts = {"gen_ai.usage.input_tokens": input_tokens, "gen_ai.usage.output_tokens": output_tokens}
    _set(current, {name: count for name, count in counts.items() if count is not None})


def describe_report(current: trace.Span, report: Report) -> None:
    """Verdict, score and counts of a report; what it cost, where a model was asked or remembered."""
    usage = report.usage
    spent: dict[str, str | int | float] = {}
    if usage.calls or usage.cache_hits:
        spent = {f"guardrail.llm.{key}": value for key, value in asdict(usage).items() if value is not None}
    counts = {v: sum(f.verdict is v for f in report.findings) for v in Verdict if v is not Verdict.ABSTAINED}
    _set(
        current,
        {
            "guardrail.engine": report.engine,
            "guardrail.verdict": report.verdict.value,
            "guardrail.score": report.score,
            "guardrail.passages": len(report.passages),
            **{f"guardrail.findings.{v.value}": n for v, n in counts.items()},
            **spent,
        },
    )


def describe_decision(current: trace.Span, decision: Decision) -> None:
    """Action, rule and policy of a decision."""
    _set(
        current,
        {
            "guardrail.action": decision.action.value,
            "guardrail.rule": decision.rule,
            "guardrail.policy": decision.policy,
        },
    )


def _set(current: trace.Span, attributes: dict[str, str | int | float]) -> None:
    try:
        current.set_attributes(attributes)
    except Exception as error:
        _log.debug("attributes could not be set", exc_info=error)
