"""The guard: check an answer, and run a policy on what was found. Wiring only."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from guardrail import telemetry
from guardrail.attempts import Check, attempts
from guardrail.decompose.extracted import extract_request, with_claims
from guardrail.drivers import adrive, atake_apart, drive, take_apart
from guardrail.engine import AsyncDecomposer, AsyncEngine, Decomposer, Draft, Engine
from guardrail.engines import NAMES, make_engine
from guardrail.entities import LINKINGS, Linking
from guardrail.errors import ConfigurationError, UsageError, did_you_mean
from guardrail.intake import ClaimLike, PassageLike, read_answer, read_claims, read_passages, read_question
from guardrail.mending import AsyncRewriter, Generator, Rewriter, amend, mend
from guardrail.plan import CheckPlan, check_plan, failed_report
from guardrail.policy import Policy
from guardrail.policy_watch import PolicyWatch
from guardrail.repair import repair, undecided
from guardrail.retrieval.protocol import AsyncRetriever, Retriever
from guardrail.types import Action, Claim, GuardedAnswer, Passage, Report, Segment

if TYPE_CHECKING:
    from guardrail.streaming import Mode, PassageSource, StreamEvent

_log = logging.getLogger(__name__)
_MENDED = (Action.REWRITE, Action.REGENERATE)


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
        rewriter: Edits answers where the policy asks for a rewrite; None = the local one (``guardrail.rewriting``).
    """

    policy: Policy | PolicyWatch = field(default_factory=Policy.monitor)
    engine: str | Engine | AsyncEngine = "local"
    linking: Linking = "argmax"
    retriever: Retriever | AsyncRetriever | None = None
    rewriter: Rewriter | AsyncRewriter | None = None
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
                f"rewriter must have `rewrite` or `arewrite`, got {type(self.rewriter).__name__}. "
                "See guardrail.rewriting."
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
        with telemetry.span("check") as span:
            call = self._prepare(answer, passages, question, claims, policy)
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
        policy: Policy | None = None,
    ) -> Report:
        """The same as ``check``, without blocking the event loop."""
        with telemetry.span("check") as span:
            call = self._prepare(answer, passages, question, claims, policy)
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
        report = self.check(answer, passages, question=question, claims=claims, policy=used)
        return self.repair(report, policy=used, regenerate=regenerate)

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
        report = await self.acheck(answer, passages, question=question, claims=claims, policy=used)
        return await self.arepair(report, policy=used, regenerate=regenerate)

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
        guarded = self.apply(report, policy=used)
        if guarded.decision.action not in _MENDED:
            return guarded

        def check(new: Check) -> Report:
            return self.check(new.answer, new.passages, question=report.question, policy=used)

        rewriter = self._rewriter()
        tries = attempts(report, used, regenerates=regenerate is not None, rewrites=self.rewriter is not None)
        try:
            return mend(tries, check, regenerate, rewriter)
        except UsageError:
            raise
        except Exception as error:  # see check
            _log.error("repairing failed; the edited answer is delivered", exc_info=error)
            return replace(guarded, exhausted=True)

    async def arepair(
        self, report: Report, *, policy: Policy | None = None, regenerate: Generator | None = None
    ) -> GuardedAnswer:
        """The same as ``repair``, without blocking the event loop."""
        used = self._policy(policy)
        guarded = self.apply(report, policy=used)
        if guarded.decision.action not in _MENDED:
            return guarded

        async def check(new: Check) -> Report:
            return await self.acheck(new.answer, new.passages, question=report.question, policy=used)

        rewriter = self._rewriter()
        tries = attempts(report, used, regenerates=regenerate is not None, rewrites=self.rewriter is not None)
        try:
            return await amend(tries, check, regenerate, rewriter)
        except UsageError:
            raise
        except Exception as error:  # see check
            _log.error("repairing failed; the edited answer is delivered", exc_info=error)
            return replace(guarded, exhausted=True)

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
        request = extract_request(read_answer(answer), read_question(question), self.policy.current().deadline)
        return with_claims(take_apart(request, self._judge))

    async def aextract(self, answer: str, question: str | None = None) -> tuple[Segment, ...]:
        """The same as ``extract``, without blocking the event loop."""
        request = extract_request(read_answer(answer), read_question(question), self.policy.current().deadline)
        return with_claims(await atake_apart(request, self._judge)).parts.segments

    def apply(self, report: Report, *, policy: Policy | None = None) -> GuardedAnswer:
        """Decide on a report and edit its answer as the policy says. Pure; no engine is called."""
        used = self._policy(policy)
        with telemetry.span("decide") as span:
            try:
                decision = used.decide(report)
                guarded = repair(report, decision, used)
            except Exception as error:  # see check
                _log.error("deciding failed; fail=%s applies", used.fail, exc_info=error)
                guarded = undecided(report, used)
            telemetry.describe_decision(span, guarded.decision)
            return guarded

    def _policy(self, given: Policy | None) -> Policy:
        if given is not None and not isinstance(given, Policy):
            raise UsageError(f"policy must be a Policy, got {type(given).__name__}. Use Policy.load(name or file).")
        return self.policy.current() if given is None else given

    def _rewriter(self) -> Rewriter | AsyncRewriter:
        if self.rewriter is not None:
            return self.rewriter
        from guardrail.rewriting.local import LocalRewriter  # only where an answer is rewritten

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


def _resolve(engine: object, policy: Policy) -> Engine | AsyncEngine:
    if isinstance(engine, str):
        return make_engine(engine, policy=policy)
    if isinstance(engine, (Engine, AsyncEngine)):
        return engine
    raise ConfigurationError(
        f"engine must be one of {', '.join(NAMES)}, or have `name` and `verify` (or `averify`), "
        f"got {type(engine).__name__}. See guardrail.engine.Engine."
    )
