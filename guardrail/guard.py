"""The guard: check an answer, and run a policy on what was found. Wiring only."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from guardrail.check.contract import AsyncDecomposer, AsyncEngine, Decomposer, Draft, Engine
from guardrail.check.drivers import adrive, atake_apart, drive, take_apart
from guardrail.check.entities import LINKINGS, Linking
from guardrail.check.extraction import extract_request, with_claims
from guardrail.check.intake import ClaimLike, PassageLike, read_answer, read_claims, read_passages, read_question
from guardrail.check.plan import CheckPlan, check_plan, failed_report
from guardrail.check.retriever import AsyncRetriever, Retriever
from guardrail.engines.by_name import NAMES, make_engine
from guardrail.errors import ConfigurationError, UsageError, did_you_mean, panics_are_errors
from guardrail.policy.policy import Policy
from guardrail.policy.watch import PolicyWatch
from guardrail.repair.attempts import Attempts, Check, attempts
from guardrail.repair.edits import repair, undecided
from guardrail.repair.generators import AsyncRewriter, Generator, Rewriter, amend, mend
from guardrail.telemetry import Observation, Telemetry, observed, spent, stage
from guardrail.types import Action, Claim, GuardedAnswer, Passage, Report, Segment

if TYPE_CHECKING:
    from guardrail.streaming import Mode, PassageSource, StreamEvent

_log = logging.getLogger(__name__)
_MENDED = (Action.REWRITE, Action.REGENERATE)
_PLAIN = (Action.ALLOW, Action.FLAG)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Checks answers of a RAG application against their passages.

    Immutable: one guard may serve all threads and tasks of a process.

    Attributes:
        policy: What to do with what is found: a Policy, or ``Policy.watch(file)`` for one that may change.
        engine: ``"local"`` (default) or another name (``guardrail.engines.NAMES``, such as ``"llm:<model>"``), or any
            object with the Engine or AsyncEngine protocol.
        linking: How several biographies in one answer share out the namesakes that the passages describe: each takes
            its best (``"argmax"``, default), or all different ones (``"hungarian"``; D-FActScore, appendix C.1).
        retriever: Looks passages up for answers that come without any (``guardrail.retrieval``).
        rewriter: Edits answers where the policy asks for a rewrite; None = the local one (``guardrail.repair``).
        telemetry: Labels, recorder and providers of traces and metrics (``guardrail.telemetry``).
    """

    policy: Policy | PolicyWatch = field(default_factory=Policy.monitor)
    engine: str | Engine | AsyncEngine = "local"
    linking: Linking = "argmax"
    retriever: Retriever | AsyncRetriever | None = None
    rewriter: Rewriter | AsyncRewriter | None = None
    telemetry: Telemetry = field(default_factory=Telemetry, repr=False)
    _judge: Engine | AsyncEngine = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.policy, (Policy, PolicyWatch)):
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
        if not isinstance(self.rewriter, (Rewriter, AsyncRewriter, type(None))):
            raise ConfigurationError(
                f"rewriter must have `rewrite` or `arewrite`, got {type(self.rewriter).__name__}. See guardrail.repair."
            )
        if not isinstance(self.telemetry, Telemetry):
            raise ConfigurationError(
                f"telemetry must be a guardrail.telemetry.Telemetry, got {type(self.telemetry).__name__}."
            )
        object.__setattr__(self, "_judge", _resolve(self.engine, self.policy.current()))
        object.__setattr__(self, "engine", self._judge)
        self.policy.serve(self.engine)

    def check(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
        policy: Policy | None = None,
    ) -> Report:
        """Check an answer against the passages it was generated from.

        Args:
            answer: The generated text.
            passages: Texts, Passage objects or dicts with ``text`` and optionally ``id`` and ``title``; ids are unique.
                Where there are none, the guard's retriever looks some up, if it has one.
            question: What was asked, if known.
            claims: What to check of the answer: texts, (head, relation, tail) triplets or Claim objects. Then the
                answer is not taken apart, one finding comes out per claim, in order, and ``[]`` means that it abstains.
            policy: Instead of the guard's own, for this call.

        Returns:
            A report with one finding per checked segment. Where an engine fails or time runs out the findings are
            UNVERIFIED; that is never an exception.

        Raises:
            UsageError: an argument is of the wrong type, two passages share an id, or the engine or retriever can only
                be awaited.
        """
        used = self._policy(policy)
        with self._observed(used) as seen:
            return seen.found(self._checked(self._prepare(answer, passages, question, claims, used)))

    async def acheck(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
        policy: Policy | None = None,
    ) -> Report:
        """The same as ``check``, without blocking the event loop."""
        used = self._policy(policy)
        with self._observed(used) as seen:
            return seen.found(await self._achecked(self._prepare(answer, passages, question, claims, used)))

    def run(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
        policy: Policy | None = None,
        regenerate: Generator | None = None,
    ) -> GuardedAnswer:
        """Check an answer, apply the policy, repair what it asks to repair; deliver ``.text`` of the result.

        Args:
            answer: See check, as for ``passages``, ``question``, ``claims`` and ``policy``.
            passages: See check.
            question: See check.
            claims: See check.
            policy: See check.
            regenerate: Answers the question again on the same passages, told what was wrong (Feedback).

        Raises:
            UsageError: as ``check``, or the generator or rewriter can only be awaited.
        """
        used = self._policy(policy)  # one policy from beginning to end, even if its file changes now
        with self._observed(used) as seen:
            report = self._checked(self._prepare(answer, passages, question, claims, used))
            return seen.delivered(self._repaired(report, used, regenerate))

    async def arun(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
        policy: Policy | None = None,
        regenerate: Generator | None = None,
    ) -> GuardedAnswer:
        """The same as ``run``, without blocking the event loop."""
        used = self._policy(policy)  # see run
        with self._observed(used) as seen:
            report = await self._achecked(self._prepare(answer, passages, question, claims, used))
            return seen.delivered(await self._arepaired(report, used, regenerate))

    def stream(
        self,
        deltas: Iterable[str],
        passages: PassageSource,
        *,
        question: str | None = None,
        mode: Mode = "buffer",
        regenerate: Generator | None = None,
        policy: Policy | None = None,
    ) -> Iterator[StreamEvent]:
        """Check an answer while it is generated: see ``guardrail.streaming.guarded_stream``."""
        from guardrail.streaming import guarded_stream

        return guarded_stream(
            self, deltas, passages, question=question, mode=mode, regenerate=regenerate, policy=policy
        )

    def astream(
        self,
        deltas: AsyncIterable[str],
        passages: PassageSource,
        *,
        question: str | None = None,
        mode: Mode = "buffer",
        regenerate: Generator | None = None,
        policy: Policy | None = None,
    ) -> AsyncIterator[StreamEvent]:
        """The same as ``stream``, for deltas that are awaited; the event loop is not blocked."""
        from guardrail.streaming import aguarded_stream

        return aguarded_stream(
            self, deltas, passages, question=question, mode=mode, regenerate=regenerate, policy=policy
        )

    def repair(
        self, report: Report, *, policy: Policy | None = None, regenerate: Generator | None = None
    ) -> GuardedAnswer:
        """Decide on a report, and mend its answer where the policy asks for it; every new answer is checked."""
        used = self._policy(policy)
        with self._observed(used, "repair") as seen:
            return seen.delivered(self._repaired(report, used, regenerate))

    async def arepair(
        self, report: Report, *, policy: Policy | None = None, regenerate: Generator | None = None
    ) -> GuardedAnswer:
        """The same as ``repair``, without blocking the event loop."""
        used = self._policy(policy)
        with self._observed(used, "repair") as seen:
            return seen.delivered(await self._arepaired(report, used, regenerate))

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
        used = self.policy.current()
        request = extract_request(read_answer(answer), read_question(question), used.deadline)
        with self._observed(used, "extract"), stage("decompose"):
            return with_claims(take_apart(request, self._judge))

    async def aextract(self, answer: str, question: str | None = None) -> tuple[Segment, ...]:
        """The same as ``extract``, without blocking the event loop."""
        used = self.policy.current()
        request = extract_request(read_answer(answer), read_question(question), used.deadline)
        with self._observed(used, "extract"), stage("decompose"):
            return with_claims(await atake_apart(request, self._judge)).parts.segments

    def apply(self, report: Report, *, policy: Policy | None = None) -> GuardedAnswer:
        """Decide on a report and edit its answer as the policy says. Pure; no engine is called."""
        used = self._policy(policy)
        with self._observed(used, "apply") as seen:
            return seen.delivered(_applied(report, used))

    def _observed(self, policy: Policy, name: str = "check") -> AbstractContextManager[Observation]:
        return observed(self.telemetry, policy.name, self._judge.name, name)

    def _checked(self, call: _Call) -> Report:
        try:
            with panics_are_errors():
                report = drive(call.plan(), call.engine)
        except UsageError:
            raise
        except Exception as error:  # a bug of ours must not take the service down
            report = call.failed(error)
        spent(report)
        return report

    async def _achecked(self, call: _Call) -> Report:
        try:
            with panics_are_errors():
                report = await adrive(call.plan(), call.engine)
        except UsageError:
            raise
        except Exception as error:  # see _checked
            report = call.failed(error)
        spent(report)
        return report

    def _repaired(self, report: Report, policy: Policy, regenerate: Generator | None) -> GuardedAnswer:
        guarded = _applied(report, policy)
        if guarded.decision.action not in _MENDED:
            return guarded

        def check(new: Check) -> Report:
            with stage("recheck"):
                return self._checked(self._prepare(new.answer, new.passages, report.question, None, policy))

        try:
            with panics_are_errors():
                return mend(self._attempts(report, policy, regenerate), check, regenerate, self._rewriter())
        except UsageError:
            raise
        except Exception as error:  # see _checked
            return _unmended(guarded, error)

    async def _arepaired(self, report: Report, policy: Policy, regenerate: Generator | None) -> GuardedAnswer:
        guarded = _applied(report, policy)
        if guarded.decision.action not in _MENDED:
            return guarded

        async def check(new: Check) -> Report:
            with stage("recheck"):
                return await self._achecked(self._prepare(new.answer, new.passages, report.question, None, policy))

        try:
            with panics_are_errors():
                return await amend(self._attempts(report, policy, regenerate), check, regenerate, self._rewriter())
        except UsageError:
            raise
        except Exception as error:  # see _checked
            return _unmended(guarded, error)

    def _attempts(self, report: Report, policy: Policy, regenerate: Generator | None) -> Attempts:
        return attempts(report, policy, regenerates=regenerate is not None, rewrites=self.rewriter is not None)

    def _policy(self, given: Policy | None) -> Policy:
        if given is not None and not isinstance(given, Policy):
            raise UsageError(f"policy must be a Policy, got {type(given).__name__}. Use Policy.load(name or file).")
        return self.policy.current() if given is None else given

    def _rewriter(self) -> Rewriter | AsyncRewriter:
        if self.rewriter is not None:
            return self.rewriter
        from guardrail.repair.local.rewriter import LocalRewriter  # only where an answer is rewritten

        return LocalRewriter()

    def _prepare(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        question: str | None,
        claims: Iterable[ClaimLike] | None,
        policy: Policy | None,
    ) -> _Call:
        return _Call(
            answer=read_answer(answer),
            passages=read_passages(passages),
            question=read_question(question),
            policy=self._policy(policy),
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


def _applied(report: Report, policy: Policy) -> GuardedAnswer:
    """The policy's decision, and the answer edited as it says."""
    try:
        with stage("decide"):
            decision = policy.decide(report)
        if decision.action in _PLAIN:
            return repair(report, decision, policy)
        with stage("repair"), panics_are_errors():
            return repair(report, decision, policy)
    except Exception as error:  # see Guard._checked
        _log.error("deciding failed; fail=%s applies", policy.fail, exc_info=error)
        return undecided(report, policy)


def _unmended(guarded: GuardedAnswer, error: Exception) -> GuardedAnswer:
    _log.error("repairing failed; the edited answer is delivered", exc_info=error)
    return replace(guarded, exhausted=True)


def _resolve(engine: object, policy: Policy) -> Engine | AsyncEngine:
    if isinstance(engine, str):
        return make_engine(engine, policy=policy)
    if isinstance(engine, (Engine, AsyncEngine)):
        return engine
    raise ConfigurationError(
        f"engine must be one of {', '.join(NAMES)}, or have `name` and `verify` (or `averify`), "
        f"got {type(engine).__name__}. See guardrail.check.contract.Engine."
    )
