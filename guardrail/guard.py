"""The guard: check an answer, and run a policy on what was found. Wiring only."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from guardrail import telemetry
from guardrail.calibration import engine_identity
from guardrail.drivers import adrive, drive
from guardrail.engine import AsyncDecomposer, AsyncEngine, Decomposer, Engine
from guardrail.errors import ConfigurationError, UsageError, did_you_mean
from guardrail.intake import PassageLike, read_answer, read_passages, read_question
from guardrail.plan import CheckPlan, check_plan, failed_report
from guardrail.policy import Policy
from guardrail.repair import repair, undecided
from guardrail.types import GuardedAnswer, Passage, Report

_log = logging.getLogger(__name__)
_ENGINES = ("local",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Checks answers of a RAG application against their passages.

    Immutable: one guard may serve all threads and tasks of a process.

    Attributes:
        policy: What to do with what is found.
        engine: ``"local"`` (default), or any object with the Engine or AsyncEngine protocol.
    """

    policy: Policy = field(default_factory=Policy.monitor)
    engine: str | Engine | AsyncEngine = "local"

    def __post_init__(self) -> None:
        if not isinstance(self.policy, Policy):
            raise ConfigurationError(
                f"policy must be a Policy, got {type(self.policy).__name__}. "
                "Use Policy.monitor() or Policy.load(name or file)."
            )
        object.__setattr__(self, "engine", _resolve(self.engine))
        made_for = self.policy.calibration
        if made_for is not None and made_for.engine != (own := engine_identity(self.engine)):
            _log.warning(
                "policy %r was calibrated for engine %r, this one is %r: its guarantee does not hold. Calibrate again.",
                self.policy.name, made_for.engine, own,
            )  # fmt: skip

    def check(self, answer: str, passages: Iterable[PassageLike], *, question: str | None = None) -> Report:
        """Check an answer against the passages it was generated from.

        Args:
            answer: The generated text.
            passages: Texts, Passage objects or dicts with ``text`` and optionally ``id`` and ``title``; ids are unique.
            question: What was asked, if known.

        Returns:
            A report with one finding per checked segment. Where an engine fails or time runs out the findings are
            UNVERIFIED; that is never an exception.

        Raises:
            UsageError: an argument is of the wrong type, two passages share an id, or the engine can only be awaited.
        """
        with telemetry.span("check") as span:
            call = self._prepare(answer, passages, question)
            try:
                report = drive(call.plan(), call.engine)
            except UsageError:
                raise
            except Exception as error:  # a bug of ours must not take the service down
                report = call.failed(error)
            telemetry.describe_report(span, report)
            return report

    async def acheck(self, answer: str, passages: Iterable[PassageLike], *, question: str | None = None) -> Report:
        """The same as ``check``, without blocking the event loop."""
        with telemetry.span("check") as span:
            call = self._prepare(answer, passages, question)
            try:
                report = await adrive(call.plan(), call.engine)
            except UsageError:
                raise
            except Exception as error:  # see check
                report = call.failed(error)
            telemetry.describe_report(span, report)
            return report

    def run(self, answer: str, passages: Iterable[PassageLike], *, question: str | None = None) -> GuardedAnswer:
        """Check an answer and apply the policy; deliver ``.text`` of the result. Raises as ``check`` does."""
        return self.apply(self.check(answer, passages, question=question))

    async def arun(self, answer: str, passages: Iterable[PassageLike], *, question: str | None = None) -> GuardedAnswer:
        """The same as ``run``, without blocking the event loop."""
        return self.apply(await self.acheck(answer, passages, question=question))

    def apply(self, report: Report) -> GuardedAnswer:
        """Decide on a report and repair its answer as the policy says. Pure; no engine is called."""
        with telemetry.span("decide") as span:
            try:
                decision = self.policy.decide(report)
                guarded = repair(report, decision, self.policy)
            except Exception as error:  # see check
                _log.error("deciding failed; fail=%s applies", self.policy.fail, exc_info=error)
                guarded = undecided(report, self.policy)
            telemetry.describe_decision(span, guarded.decision)
            return guarded

    def _prepare(self, answer: str, passages: Iterable[PassageLike], question: str | None) -> _Call:
        return _Call(
            answer=read_answer(answer),
            passages=read_passages(passages),
            question=read_question(question),
            policy=self.policy,
            engine=_resolve(self.engine),
            started=time.monotonic(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """One call's own state; nothing of it lives on the guard."""

    answer: str
    passages: tuple[Passage, ...]
    question: str | None
    policy: Policy
    engine: Engine | AsyncEngine
    started: float

    def plan(self) -> CheckPlan:
        return check_plan(
            self.answer,
            self.passages,
            self.question,
            self.policy,
            self.engine.name,
            self.started,
            decomposes=isinstance(self.engine, (Decomposer, AsyncDecomposer)),
        )

    def failed(self, error: Exception) -> Report:
        _log.error("the check failed; the answer is unverified", exc_info=error)
        reason = f"the guard failed: {type(error).__name__}"
        return failed_report(self.answer, self.passages, self.question, self.engine.name, reason)


def _resolve(engine: object) -> Engine | AsyncEngine:
    if isinstance(engine, str):
        if engine not in _ENGINES:
            raise ConfigurationError(f"unknown engine {engine!r}. {did_you_mean(engine, _ENGINES)}")
        from guardrail.local.engine import LocalEngine

        return LocalEngine()
    if isinstance(engine, (Engine, AsyncEngine)):
        return engine
    raise ConfigurationError(
        f"engine must be 'local' or have `name` and `verify` (or `averify`), got {type(engine).__name__}. "
        "See guardrail.engine.Engine."
    )
