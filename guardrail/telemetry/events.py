"""The evaluation of an answer as OpenTelemetry's log event ``gen_ai.evaluation.result`` (GenAI conventions, events)."""

from __future__ import annotations

import inspect
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from opentelemetry import trace
from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext

from guardrail.telemetry import spans
from guardrail.telemetry.attributes import Content, evaluations
from guardrail.telemetry.spans import Value, holding
from guardrail.types import Report, Verdict

NAME = "gen_ai.evaluation.result"
_EVENTS = ("faithfulness", "logic_consistency")
_BY_NAME = "event_name" in inspect.signature(Logger.emit).parameters  # older versions of the API cannot

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Generation:
    """What wrote an answer: its span, and the provider's id of the response."""

    span: SpanContext
    response_id: str | None = None


Find = Callable[[str], Generation | None]
"""From the text of an answer to what wrote it, as far as it is known once the answer is there."""

_GENERATION: ContextVar[Generation | Find | None] = ContextVar("guardrail_generation", default=None)


@contextmanager
def evaluated(span: Span | SpanContext | None, response_id: str | None = None) -> Iterator[None]:
    """Name the span that generated the answers that are checked inside the block: their evaluations hang under it.

    Args:
        span: It may have ended; None = not known.
        response_id: What the provider calls the response.
    """
    if span is None:
        yield
        return
    context = span if isinstance(span, SpanContext) else spans.identity(span)
    with holding(_GENERATION, Generation(context, response_id)):
        yield


@contextmanager
def generation_found_by(find: Find) -> Iterator[None]:
    """The same where it shows later: ``find`` is asked when the answer's events are emitted. For integrations."""
    with holding(_GENERATION, find):
        yield


K = TypeVar("K")


class Generations(Generic[K]):
    """The calls of models that may have written one answer, by the framework's key. For integrations."""

    def __init__(self) -> None:
        self._spans: dict[K, Span] = {}
        self._replies: dict[K, tuple[str, str | None]] = {}

    def __contains__(self, call: K) -> bool:
        return call in self._spans

    def add(self, call: K, span: Span) -> None:
        """A call is made in this span."""
        self._spans[call] = span

    def set_reply(self, call: K, text: str, response_id: object) -> None:
        """What a call replied; a ``response_id`` that is no str counts as none."""
        self._replies[call] = (text.strip(), response_id if isinstance(response_id, str) else None)

    def of(self, answer: str) -> Generation | None:
        """The call that wrote an answer: the first whose text it is, else the only one; None = not known."""
        calls = [call for call, (text, _) in self._replies.items() if text == answer.strip()]
        if not calls and len(self._spans) == 1:
            calls = list(self._spans)
        span = self._spans.get(calls[0]) if calls else None
        return None if span is None else Generation(span.get_span_context(), self._replies.get(calls[0], ("", None))[1])


def generation(ambient: Span) -> Generation | Find | None:
    """What wrote the answer: as the caller says, or the span around the check where that is a model's."""
    named = _GENERATION.get()
    if named is not None:
        return named
    try:
        attributes = getattr(ambient, "attributes", None) or {}
        if "gen_ai.operation.name" in attributes or attributes.get("openinference.span.kind") == "LLM":
            return Generation(spans.identity(ambient))
    except Exception as error:  # somebody else's span
        _log.debug("the span around the check cannot be read", exc_info=error)
    return None


@dataclass(frozen=True, slots=True)
class EvaluationEvents:
    """One answer's events.

    Attributes:
        logger: Emits them.
        root: The span ``guardrail.check``.
        generation: What they hang under; None = the root.
        common: Attributes of all of them.
        content: Writes explanations; None = none.
    """

    logger: Logger
    root: Span
    generation: Generation | Find | None
    common: Mapping[str, Value]
    content: Content | None

    def emit(self, report: Report, *, claims: bool) -> None:
        """Emit the events of an answer, and of each claim if wanted."""
        if callable(self.generation):
            replace(self, generation=_generation_of(self.generation, report.answer)).emit(report, claims=claims)
            return
        for one in evaluations(report):
            if one.name in _EVENTS:
                self._emit(one.name, one.score, one.label, _failure(report), report.reason, {})
        for finding in report.findings if claims else ():
            unjudged = finding.verdict is Verdict.UNVERIFIED
            more: dict[str, Value] = {"guardrail.finding.id": finding.id, "guardrail.target": "claim"}
            if finding.error_type is not None:
                more["guardrail.error_type"] = finding.error_type.value
            self._emit(
                "faithfulness",
                None if unjudged else finding.score,
                finding.verdict.value,
                (finding.cause.value if finding.cause else "engine") if unjudged else None,
                finding.reason,
                more,
            )

    def _emit(
        self,
        name: str,
        score: float | None,
        label: str | None,
        failure: str | None,
        explanation: str,
        more: Mapping[str, Value],
    ) -> None:
        attributes: dict[str, Value] = {"gen_ai.evaluation.name": name, "guardrail.target": "answer"}
        attributes |= {**self.common, **more}
        if score is not None:
            attributes["gen_ai.evaluation.score.value"] = score
        if label is not None:
            attributes["gen_ai.evaluation.score.label"] = label
        if failure is not None:
            attributes["error.type"] = failure
        if self.content is not None and explanation:
            attributes["gen_ai.evaluation.explanation"] = self.content.clean(explanation)
        made = self.generation if isinstance(self.generation, Generation) else None
        if made is not None and made.response_id is not None:
            attributes["gen_ai.response.id"] = made.response_id
        try:
            if not _BY_NAME:
                self.root.add_event(NAME, attributes)
                return
            span = self.root if made is None or not made.span.is_valid else NonRecordingSpan(made.span)
            self.logger.emit(
                timestamp=time.time_ns(),
                context=trace.set_span_in_context(span),
                severity_number=SeverityNumber.INFO if failure is None else SeverityNumber.WARN,
                attributes=attributes,
                event_name=NAME,
            )
        except Exception as error:
            _log.debug("an event could not be emitted", exc_info=error)


def _generation_of(find: Find, answer: str) -> Generation | None:
    try:
        return find(answer)
    except Exception as error:  # it reads what other threads may still write
        _log.debug("what wrote the answer cannot be found", exc_info=error)
        return None


def _failure(report: Report) -> str | None:
    """The commonest cause where the answer is not verified."""
    if report.verdict is not Verdict.UNVERIFIED:
        return None
    causes = [finding.cause.value for finding in report.findings if finding.cause is not None]
    return max(causes, key=causes.count) if causes else "engine"
