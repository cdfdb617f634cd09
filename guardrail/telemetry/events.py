"""The evaluation of an answer as OpenTelemetry's log event ``gen_ai.evaluation.result`` (GenAI conventions, events)."""

from __future__ import annotations

import inspect
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from opentelemetry import trace
from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext

from guardrail.telemetry import spans
from guardrail.telemetry.attributes import evaluations
from guardrail.telemetry.content import Content
from guardrail.telemetry.scope import holding
from guardrail.telemetry.spans import Value
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
def written(find: Find) -> Iterator[None]:
    """The same where it shows later: ``find`` is asked when the answer is told of. For integrations."""
    with holding(_GENERATION, find):
        yield


def generation(ambient: Span) -> Generation | Find | None:
    """What wrote the answer: as the caller says, or the span around the check where that is a model's."""
    named = _GENERATION.get()
    if named is not None:
        return named
    try:
        told = getattr(ambient, "attributes", None) or {}
        if "gen_ai.operation.name" in told or told.get("openinference.span.kind") == "LLM":
            return Generation(spans.identity(ambient))
    except Exception as error:  # somebody else's span
        _log.debug("the span around the check cannot be read", exc_info=error)
    return None


@dataclass(frozen=True, slots=True)
class Evaluated:
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

    def tell(self, report: Report, *, claims: bool) -> None:
        """Emit the events of an answer, and of each claim if wanted."""
        if callable(self.generation):
            replace(self, generation=_found(self.generation, report.answer)).tell(report, claims=claims)
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
        told: dict[str, Value] = {"gen_ai.evaluation.name": name, "guardrail.target": "answer", **self.common, **more}
        if score is not None:
            told["gen_ai.evaluation.score.value"] = score
        if label is not None:
            told["gen_ai.evaluation.score.label"] = label
        if failure is not None:
            told["error.type"] = failure
        if self.content is not None and explanation:
            told["gen_ai.evaluation.explanation"] = self.content.clean(explanation)
        made = self.generation if isinstance(self.generation, Generation) else None
        if made is not None and made.response_id is not None:
            told["gen_ai.response.id"] = made.response_id
        try:
            if not _BY_NAME:
                self.root.add_event(NAME, told)
                return
            span = self.root if made is None or not made.span.is_valid else NonRecordingSpan(made.span)
            self.logger.emit(
                timestamp=time.time_ns(),
                context=trace.set_span_in_context(span),
                severity_number=SeverityNumber.INFO if failure is None else SeverityNumber.WARN,
                attributes=told,
                event_name=NAME,
            )
        except Exception as error:
            _log.debug("an event could not be emitted", exc_info=error)


def _found(find: Find, answer: str) -> Generation | None:
    try:
        return find(answer)
    except Exception as error:  # it reads what other threads may still write
        _log.debug("what wrote the answer cannot be told", exc_info=error)
        return None


def _failure(report: Report) -> str | None:
    """The commonest cause where nobody could judge the answer."""
    if report.verdict is not Verdict.UNVERIFIED:
        return None
    causes = [finding.cause.value for finding in report.findings if finding.cause is not None]
    return max(causes, key=causes.count) if causes else "engine"
