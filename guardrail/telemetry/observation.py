"""One guarded answer under observation: its span, its stages, and what is emitted at the end.

An observation is a call's own state. Within its guard's work it is the active one of this thread or task, so that
stages and requests to models, wherever they are made, belong to it.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from uuid import uuid4

from opentelemetry import context, trace
from opentelemetry.trace import Span

from guardrail.errors import rust_panics_as_errors
from guardrail.telemetry import metrics, spans
from guardrail.telemetry.attributes import delivery_attributes, evaluation_attributes, report_attributes
from guardrail.telemetry.events import EvaluationEvents, generation
from guardrail.telemetry.labels import BOUNDS, current_labels
from guardrail.telemetry.outcome import ABANDONED, Outcome
from guardrail.telemetry.settings import Telemetry
from guardrail.telemetry.spans import holding
from guardrail.types import Action, GuardedAnswer, Report, Usage, Verdict

_log = logging.getLogger(__name__)

_SCORED = (Verdict.SUPPORTED, Verdict.UNSUPPORTED, Verdict.CONTRADICTED)


class Observation:
    """One answer, from its first check to its delivery.

    Args:
        settings: Of the guard.
        policy: Name of the policy.
        engine: Name of the engine.
        name: Of the span, behind ``guardrail.``.
        mode: Of a stream.

    Attributes:
        sparse: The answer is checked piece by piece, and not every stage of that is shown.
        pieces: What is checked now is the answer so far: its usage is that of all pieces before, too.
        so_far: What is known of the answer, should its caller leave.
    """

    def __init__(
        self, settings: Telemetry, policy: str, engine: str, name: str = "check", mode: str | None = None
    ) -> None:
        self.settings = settings
        self.id = uuid4().hex
        self.labels = {key: BOUNDS.bound(key, v) for key, v in {**settings.labels, **current_labels()}.items()}
        self.common = {
            "policy": BOUNDS.bound("policy", policy),
            "engine": BOUNDS.bound("engine", engine),
            **self.labels,
        }
        self.stages: dict[str, float] = {}
        self.sparse = mode == "sentence"
        self.pieces = False
        self.so_far: Callable[[], Report] | None = None
        self._policy, self._name, self._mode = policy, name, mode
        self._ambient = context.get_current()
        self._generation = generation(trace.get_current_span())
        self._root: Span | None = None
        self._at, self._opened, self._seconds, self._depth = time.time(), time.perf_counter(), 0.0, 0
        self._pieces = Usage()
        self._usage, self._step = Usage(), Action.REGENERATE.value
        self._checked = self._asked = self._verified = self._closed = False
        self._report: Report | None = None
        self._guarded: GuardedAnswer | None = None

    def open(self) -> Span:
        """Begin the span, unless it has begun."""
        if self._root is None:
            attributes = {f"guardrail.label.{key}": value for key, value in self.labels.items()}
            if self._mode is not None:
                attributes["guardrail.stream"] = self._mode
            self._root = spans.start(
                self.settings.tracer, f"guardrail.{self._name}", "GUARDRAIL", attributes, within=self._ambient
            )
            self._at, self._opened = time.time(), time.perf_counter()
            metrics.add(self.settings.instruments.active, 1, self.common)
        return self._root

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Work of the guard: what happens inside belongs to this answer, and its time counts."""
        started = time.perf_counter()
        self._depth += 1
        try:
            with holding(_ACTIVE, self), spans.current(self.open()):
                yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._seconds += time.perf_counter() - started

    def add_usage(self, report: Report) -> None:
        """A check is done, of this answer or of one that might take its place."""
        if self.pieces:
            self._pieces = report.usage
        else:
            self._usage += report.usage
        self._checked = True

    def set_report(self, report: Report) -> Report:
        """The report that stands, where nothing is decided."""
        self._report = report
        return report

    def set_delivery(self, guarded: GuardedAnswer) -> GuardedAnswer:
        """What is delivered; telemetry is about the answer as it was generated, so a repair does not hide its need."""
        self._guarded, self._report = guarded, guarded.original or guarded.report
        return guarded

    def record_attempt(self, step: str, *, answered: bool) -> None:
        """A regeneration or rewrite was tried."""
        self._asked = True
        if answered:
            self._step = step
        outcome = "answered" if answered else "failed"
        metrics.add(self.settings.instruments.attempts, 1, {**self.common, "step": step, "outcome": outcome})

    def mark_verified(self) -> None:
        """Checked text of a stream is about to leave."""
        if not self._verified and self._mode is not None:
            self._verified = True
            took = time.perf_counter() - self._opened
            metrics.record(self.settings.instruments.first_verified, took, {**self.common, "mode": self._mode})

    def add_stage(self, stage: str, seconds: float) -> None:
        """A stage is over."""
        self.stages[stage] = self.stages.get(stage, 0.0) + seconds
        if not self.sparse:
            metrics.record(self.settings.instruments.stages, seconds, {**self.common, "stage": stage})

    def close(self, error: BaseException | None = None, *, so_far: Report | None = None) -> None:
        """Emit metrics, events and the record, and end the span. Where there is no result no answer is counted.

        ``so_far``: of a stream whose reader left, what had come of the answer. A caller that leaves while an answer is
        awaited (a CancelledError) is counted in the same way.
        """
        root = self._root
        if root is None or self._closed:
            return
        self._closed = True
        try:
            with spans.current(root), rust_panics_as_errors():
                for stage, seconds in self.stages.items() if self.sparse else ():  # piece by piece it would cost more
                    metrics.record(self.settings.instruments.stages, seconds, {**self.common, "stage": stage})
                left = error is None or isinstance(error, GeneratorExit)
                cancelled = _is_cancellation(error) and self._name == "check"
                if error is not None and not left:
                    spans.describe(root, {"error.type": spans.error_type(error)})
                if self._guarded is None and (cancelled or (left and self._mode is not None)):
                    self._abandon(root, so_far)  # what was found of its beginning is no result
                elif left and self._report is not None:
                    self._emit(root, self._report)
        except Exception as failure:  # telemetry must not cost the answer
            _log.warning("telemetry of an answer is lost: %s", type(failure).__name__, exc_info=failure)
        finally:
            metrics.add(self.settings.instruments.active, -1, self.common)
            spans.end(root)

    def _abandon(self, root: Span, so_far: Report | None) -> None:
        spans.describe(root, {"guardrail.abandoned": True})
        metrics.add(self.settings.instruments.abandoned, 1, {**self.common, "mode": self._mode or "none"})
        report = self._report or so_far or (None if self.so_far is None else self.so_far())
        if report is not None:
            self._record(root, report, ABANDONED)

    def _emit(self, root: Span, report: Report) -> None:
        guarded, settings = self._guarded, self.settings
        action = self._action(guarded)
        self._count(report, guarded, action)
        if self._name != "check":
            if guarded is not None:
                spans.describe(root, delivery_attributes(guarded) | {"guardrail.action": action})
            return
        attributes = {
            "guardrail.policy": self._policy,
            **report_attributes(report),
            **({} if guarded is None else delivery_attributes(guarded)),
            "guardrail.action": action,
        }
        if spans.recording(root):
            texts = {} if settings.content is None else settings.content.answer(report, guarded)
            spans.describe(root, attributes | evaluation_attributes(report) | texts)
        event = EvaluationEvents(
            settings.logger,
            root,
            self._generation,
            {"guardrail.policy": self._policy, "guardrail.engine": report.engine, "guardrail.action": action}
            | {f"guardrail.label.{key}": value for key, value in self.labels.items()},
            settings.content,
        )
        event.emit(report, claims=settings.claim_events)
        self._record(root, report, action)

    def _record(self, root: Span, report: Report, action: str) -> None:
        if (recorder := self.settings.recorder) is not None:
            try:
                with rust_panics_as_errors():
                    recorder.record(self._outcome(root, report, action))
            except Exception as error:
                _log.warning("the recorder failed: %s", type(error).__name__, exc_info=error)

    def _count(self, report: Report, guarded: GuardedAnswer | None, action: str) -> None:
        made, common = self.settings.instruments, self.common
        counter = made.answers if self._name == "check" else made.decisions
        metrics.add(counter, 1, {**common, "verdict": report.verdict.value, "action": action})
        if guarded is not None and self._asked:
            outcome = "exhausted" if guarded.exhausted else "passed"
            metrics.add(made.repaired, 1, {**common, "outcome": outcome})
        if self._checked:
            metrics.record(made.duration, self._seconds, common)
        usage = self._usage + self._pieces
        if usage.cache_hits:
            metrics.add(made.cache_hits, usage.cache_hits, common)
        if usage.screened:
            metrics.add(made.cascade, usage.escalated, {**common, "escalated": "true"})
            metrics.add(made.cascade, usage.screened - usage.escalated, {**common, "escalated": "false"})
        if self._name != "check":
            return  # it was only decided on here: what was found was counted when it was checked
        kinds = Counter((finding.verdict, finding.error_type) for finding in report.findings)
        for (verdict, error), number in kinds.items():
            labels = {"verdict": verdict.value, "error_type": "none" if error is None else error.value}
            metrics.add(made.claims, number, {**common, **labels})
        causes = Counter(finding.cause for finding in report.findings if finding.verdict is Verdict.UNVERIFIED)
        for cause, number in causes.items():
            metrics.add(made.unverified, number, {**common, "cause": "engine" if cause is None else cause.value})
        if report.verdict in _SCORED:
            metrics.record(made.score, report.score, common)
            for histogram, score in ((made.factscore, report.scores.factscore),
                                     (made.d_factscore, report.scores.d_factscore)):  # fmt: skip
                if score is not None:
                    metrics.record(histogram, score, common)

    def _action(self, guarded: GuardedAnswer | None) -> str:
        """What was done with the answer: replaced by a new one, or what the policy did with it."""
        if guarded is None:
            return "none"
        return guarded.action.value if guarded.original is None else self._step

    def _outcome(self, root: Span, report: Report, action: str) -> Outcome:
        where = spans.identity(root)
        return Outcome(
            id=self.id,
            at=self._at,
            seconds=self._seconds,
            policy=self._policy,
            report=report,
            guarded=self._guarded,
            action=action,
            labels=self.labels,
            trace_id=trace.format_trace_id(where.trace_id) if where.is_valid else None,
            span_id=trace.format_span_id(where.span_id) if where.is_valid else None,
            stages=self.stages,
        )


def _is_cancellation(error: BaseException | None) -> bool:
    """Whether it is asyncio's (which is not imported before a loop runs); that of futures is an Exception."""
    return type(error).__name__ == "CancelledError" and not isinstance(error, Exception)


_ACTIVE: ContextVar[Observation | None] = ContextVar("guardrail_observation", default=None)
_JOINED: ContextVar[Observation | None] = ContextVar("guardrail_joined", default=None)


def active() -> Observation | None:
    """The observation that this thread or task works for."""
    return _ACTIVE.get()


def add_usage(report: Report) -> None:
    """A check is done (see Observation.add_usage)."""
    if (seen := active()) is not None:
        seen.add_usage(report)


@contextmanager
def observe(settings: Telemetry, policy: str, engine: str, name: str = "check") -> Iterator[Observation]:
    """Observe one answer; inside ``join`` it is the one that was opened there, and is not closed here."""
    outer = _JOINED.get()
    if outer is not None:
        with holding(_JOINED, None), outer.inside():  # what the caller's generator checks is an answer of its own
            yield outer
        return
    seen = Observation(settings, policy, engine, name)
    try:
        with seen.inside():
            yield seen
    except BaseException as error:
        seen.close(error)
        raise
    seen.close()


@contextmanager
def join(seen: Observation) -> Iterator[None]:
    """Let the guard's next call belong to an observation that is open."""
    with holding(_JOINED, seen):
        yield
