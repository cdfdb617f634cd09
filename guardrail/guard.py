"""The guard: check an answer, and run a policy on what was found. Wiring only."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from guardrail import telemetry
from guardrail.calibration import engine_identity
from guardrail.decompose.extracted import extract_request, with_claims
from guardrail.drivers import adrive, atake_apart, drive, take_apart
from guardrail.engine import AsyncDecomposer, AsyncEngine, Decomposer, Draft, Engine
from guardrail.engines import NAMES, make_engine
from guardrail.entities import LINKINGS, Linking
from guardrail.errors import ConfigurationError, UsageError, did_you_mean
from guardrail.intake import ClaimLike, PassageLike, read_answer, read_claims, read_passages, read_question
from guardrail.plan import CheckPlan, check_plan, failed_report
from guardrail.policy import Policy
from guardrail.repair import repair, undecided
from guardrail.retrieval.protocol import AsyncRetriever, Retriever
from guardrail.types import Claim, GuardedAnswer, Passage, Report, Segment

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Checks answers of a RAG application against their passages.

    Immutable: one guard may serve all threads and tasks of a process.

    Attributes:
        policy: What to do with what is found.
        engine: ``"local"`` (default) or another name (``guardrail.engines.NAMES``, such as ``"llm:<model>"``), or any
            object with the Engine or AsyncEngine protocol.
        linking: How several biographies in one answer share out the namesakes that the passages describe: each takes
            its best (``"argmax"``, default), or all different ones (``"hungarian"``; D-FActScore, appendix C.1).
        retriever: Looks passages up for answers that come without any (``guardrail.retrieval``).
    """

    policy: Policy = field(default_factory=Policy.monitor)
    engine: str | Engine | AsyncEngine = "local"
    linking: Linking = "argmax"
    retriever: Retriever | AsyncRetriever | None = None
    _judge: Engine | AsyncEngine = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.policy, Policy):
            raise ConfigurationError(
                f"policy must be a Policy, got {type(self.policy).__name__}. "
                "Use Policy.monitor() or Policy.load(name or file)."
            )
        if self.linking not in LINKINGS:
            raise ConfigurationError(f"unknown linking {self.linking!r}. {did_you_mean(str(self.linking), LINKINGS)}")
        if not isinstance(self.retriever, (Retriever, AsyncRetriever, type(None))):
            raise ConfigurationError(
                f"retriever must have `retrieve` or `aretrieve`, got {type(self.retriever).__name__}. "
                "See guardrail.retrieval.Retriever."
            )
        object.__setattr__(self, "_judge", _resolve(self.engine, self.policy))
        object.__setattr__(self, "engine", self._judge)
        made_for = self.policy.calibration
        if made_for is not None and made_for.engine != (own := engine_identity(self.engine)):
            _log.warning(
                "policy %r was calibrated for engine %r, this one is %r: its guarantee does not hold. Calibrate again.",
                self.policy.name, made_for.engine, own,
            )  # fmt: skip

    def check(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
    ) -> Report:
        """Check an answer against the passages it was generated from.

        Args:
            answer: The generated text.
            passages: Texts, Passage objects or dicts with ``text`` and optionally ``id`` and ``title``; ids are unique.
                Where there are none, the guard's retriever looks some up, if it has one.
            question: What was asked, if known.
            claims: What to check of the answer: texts, (head, relation, tail) triplets or Claim objects. Then the
                answer is not taken apart, one finding comes out per claim, in order, and ``[]`` means that it abstains.

        Returns:
            A report with one finding per checked segment. Where an engine fails or time runs out the findings are
            UNVERIFIED; that is never an exception.

        Raises:
            UsageError: an argument is of the wrong type, two passages share an id, or the engine or retriever can only
                be awaited.
        """
        with telemetry.span("check") as span:
            call = self._prepare(answer, passages, question, claims)
            try:
                report = drive(call.plan(), call.engine)
            except UsageError:
                raise
            except Exception as error:  # a bug of ours must not take the service down
                report = call.failed(error)
            telemetry.describe_report(span, report)
            return report

    async def acheck(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
    ) -> Report:
        """The same as ``check``, without blocking the event loop."""
        with telemetry.span("check") as span:
            call = self._prepare(answer, passages, question, claims)
            try:
                report = await adrive(call.plan(), call.engine)
            except UsageError:
                raise
            except Exception as error:  # see check
                report = call.failed(error)
            telemetry.describe_report(span, report)
            return report

    def run(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
    ) -> GuardedAnswer:
        """Check an answer and apply the policy; deliver ``.text`` of the result. Raises as ``check`` does."""
        return self.apply(self.check(answer, passages, question=question, claims=claims))

    async def arun(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
    ) -> GuardedAnswer:
        """The same as ``run``, without blocking the event loop."""
        return self.apply(await self.acheck(answer, passages, question=question, claims=claims))

    def extract(self, answer: str, question: str | None = None) -> tuple[Segment, ...]:
        """Take an answer apart without checking it.

        Returns:
            All segments in order. Those to check hold claims: triplets, if the engine decomposes, else the segment
            itself (RefChecker, sub-sentence claims); also where the engine fails. ``check(claims=...)`` takes them.

        Raises:
            UsageError: an argument is of the wrong type, or the engine can only be awaited.
        """
        return self.draft(answer, question).parts.segments

    def draft(self, answer: str, question: str | None = None) -> Draft:
        """The same as ``extract``, with what it cost and, where the engine failed, the reason."""
        request = extract_request(read_answer(answer), read_question(question), self.policy.deadline)
        return with_claims(take_apart(request, self._judge))

    async def aextract(self, answer: str, question: str | None = None) -> tuple[Segment, ...]:
        """The same as ``extract``, without blocking the event loop."""
        request = extract_request(read_answer(answer), read_question(question), self.policy.deadline)
        return with_claims(await atake_apart(request, self._judge)).parts.segments

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

    def _prepare(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        question: str | None,
        claims: Iterable[ClaimLike] | None,
    ) -> _Call:
        return _Call(
            answer=read_answer(answer),
            passages=read_passages(passages),
            question=read_question(question),
            policy=self.policy,
            engine=self._judge,
            linking=self.linking,
            claims=read_claims(claims),
            retriever=self.retriever,
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
    linking: Linking
    claims: tuple[Claim, ...] | None
    retriever: Retriever | AsyncRetriever | None
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
            linking=self.linking,
            claims=self.claims,
            retriever=self.retriever,
        )

    def failed(self, error: Exception) -> Report:
        _log.error("the check failed; the answer is unverified", exc_info=error)
        reason = f"the guard failed: {type(error).__name__}"
        return failed_report(self.answer, self.passages, self.question, self.engine.name, reason, self.claims)


def _resolve(engine: object, policy: Policy) -> Engine | AsyncEngine:
    if isinstance(engine, str):
        return make_engine(engine, policy=policy)
    if isinstance(engine, (Engine, AsyncEngine)):
        return engine
    raise ConfigurationError(
        f"engine must be one of {', '.join(NAMES)}, or have `name` and `verify` (or `averify`), "
        f"got {type(engine).__name__}. See guardrail.engine.Engine."
    )
