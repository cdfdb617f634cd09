"""The guard: check an answer, and run a policy on what was found. Wiring only."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from guardrail.check.contract import LINKINGS, AsyncEngine, Draft, Engine, Linking
from guardrail.check.drivers import Program, arun, run
from guardrail.check.intake import ClaimLike, PassageLike, read_answer, read_claims, read_passages, read_question
from guardrail.check.many import AT_ONCE, Batch, acheck_all, batch_of, check_all
from guardrail.check.retrieve import AsyncRetriever, Retriever
from guardrail.engines.by_name import NAMES, make_engine
from guardrail.errors import ConfigurationError, UsageError, did_you_mean
from guardrail.policy.policy import Policy
from guardrail.policy.watch import PolicyWatch
from guardrail.repair.generators import AsyncRewriter, Authors, Generator, Rewriter
from guardrail.telemetry import Observation, Telemetry, observe
from guardrail.types import GuardedAnswer, Passage, Report, Segment

if TYPE_CHECKING:
    from guardrail.check.call import Call
    from guardrail.streaming import Mode, PassageSource, StreamEvent


_OPTIONS: tuple[tuple[str, tuple[type, ...], tuple[str, str]], ...] = (
    ("policies", (Mapping,), ("be a mapping of names to policies", "Use Policy.load_all(file).")),
    ("policy", (Policy, PolicyWatch), ("be a Policy", "Use Policy.monitor() or Policy.load(name or file).")),
    (
        "engine",
        (str, Engine, AsyncEngine),
        (
            f"be one of {', '.join(NAMES)}, or have `name` and `verify` (or `averify`)",
            "See guardrail.check.contract.Engine.",
        ),
    ),
    (
        "retriever",
        (Retriever, AsyncRetriever, type(None)),
        ("have `retrieve` or `aretrieve`", "See guardrail.retrieval.Retriever."),
    ),
    ("rewriter", (Rewriter, AsyncRewriter, type(None)), ("have `rewrite` or `arewrite`", "See guardrail.repair.")),
    ("telemetry", (Telemetry,), ("be a guardrail.telemetry.Telemetry", "Leave it out for the standard one.")),
)
"""What options must be, and what to do where they are not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Checks answers of a RAG application against their passages.

    Immutable: one guard may serve all threads and tasks of a process.

    Attributes:
        policy: What to do with what is found: a Policy, or ``Policy.watch(file)`` for one that may change.
        policies: Policies that a call may ask for by name (``policy="tenant-a"``): ``Policy.load_all(file)``, say.
        engine: ``"local"`` (default) or another name (``guardrail.engines.NAMES``, such as ``"llm:<model>"``), or any
            object with the Engine or AsyncEngine protocol.
        linking: How several biographies in one answer share out the namesakes that the passages describe: each takes
            its best (``"argmax"``, default), or all different ones (``"hungarian"``; D-FActScore, appendix C.1).
        retriever: Looks passages up for answers that come without any (``guardrail.retrieval``).
        rewriter: Edits answers where the policy asks for a rewrite; None = the local one (``guardrail.repair``).
        telemetry: Labels, recorder and providers of traces and metrics (``guardrail.telemetry``).
    """

    policy: Policy | PolicyWatch[Policy] = field(default_factory=Policy.monitor)
    policies: Mapping[str, Policy | PolicyWatch[Policy]] = field(default_factory=dict, repr=False)
    engine: str | Engine | AsyncEngine = "local"
    linking: Linking = "argmax"
    retriever: Retriever | AsyncRetriever | None = None
    rewriter: Rewriter | AsyncRewriter | None = None
    telemetry: Telemetry = field(default_factory=Telemetry, repr=False)
    judge: Engine | AsyncEngine = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, kinds, need in _OPTIONS:
            if not isinstance(given := getattr(self, name), kinds):
                raise ConfigurationError(f"{name} must {need[0]}, got {type(given).__name__}. {need[1]}")
        for name, policy in self.policies.items():
            if not isinstance(name, str) or not isinstance(policy, (Policy, PolicyWatch)):
                kind = type(policy).__name__
                raise ConfigurationError(f"policies must hold a Policy for each name, got {kind} for {name!r}.")
        object.__setattr__(self, "policies", dict(self.policies))
        if self.linking not in LINKINGS:
            raise ConfigurationError(f"unknown linking {self.linking!r}. {did_you_mean(str(self.linking), LINKINGS)}")
        judge = make_engine(self.engine, policy=self.policy.current()) if isinstance(self.engine, str) else self.engine
        for name in ("judge", "engine"):
            object.__setattr__(self, name, judge)
        for policy in (self.policy, *self.policies.values()):
            policy.warn_if_calibrated_for_another(judge)
        import_module("guardrail.check.plan")  # the stages are loaded now, not while the first answer waits

    def check(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
        policy: Policy | str | None = None,
    ) -> Report:
        """Check an answer against the passages it was generated from.

        Args:
            answer: The generated text.
            passages: Texts, Passage objects or dicts with ``text`` and optionally ``id`` and ``title``; ids are unique.
                Where there are none, the guard's retriever looks some up, if it has one.
            question: What was asked, if known.
            claims: What to check of the answer: texts, (head, relation, tail) triplets or Claim objects. Then the
                answer is not taken apart, one finding comes out per claim, in order, and ``[]`` means that it abstains.
            policy: Instead of the guard's own, for this call; or the name of one of its ``policies``.

        Returns:
            A report with one finding per checked segment. Where an engine fails or time runs out the findings are
            UNVERIFIED; that is never an exception.

        Raises:
            UsageError: an argument is of the wrong type, two passages share an id, or the engine or retriever can only
                be awaited.
        """
        return run(self.checking(answer, passages, question=question, claims=claims, policy=policy))

    async def acheck(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
        policy: Policy | str | None = None,
    ) -> Report:
        """The same as ``check``, without blocking the event loop."""
        return await arun(self.checking(answer, passages, question=question, claims=claims, policy=policy))

    def check_many(
        self,
        answers: Iterable[Mapping[str, Any]],
        *,
        at_once: int = AT_ONCE,
        seconds: float | None = None,
        max_calls: int | None = None,
        policy: Policy | str | None = None,
    ) -> Iterator[Report]:
        """Check many answers, several at once; reports come in the order of the answers.

        Args:
            answers: Mappings with ``answer`` and ``passages``, and optionally ``question`` and ``claims`` (see check).
                They are taken as they are needed.
            at_once: Answers in flight.
            seconds: For all of them together; each has its policy's deadline besides. None = no limit.
            max_calls: Requests to a model for all of them together. Once they are made, no further answer is begun;
                what is in flight is finished. None = no limit.
            policy: See check.

        Raises:
            UsageError: an option is out of its range or, when its turn comes, an answer cannot be checked (see check).
        """
        batch = self._batch(policy, seconds, max_calls, at_once)
        return check_all(batch, answers, at_once)

    def acheck_many(
        self,
        answers: Iterable[Mapping[str, Any]],
        *,
        at_once: int = AT_ONCE,
        seconds: float | None = None,
        max_calls: int | None = None,
        policy: Policy | str | None = None,
    ) -> AsyncIterator[Report]:
        """The same as ``check_many``, awaited: ``async for report in guard.acheck_many(...)``."""
        batch = self._batch(policy, seconds, max_calls, at_once)
        return acheck_all(batch, answers, at_once)

    def run(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
        policy: Policy | str | None = None,
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
        return run(self._running(answer, passages, question, claims, policy, regenerate))

    async def arun(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
        policy: Policy | str | None = None,
        regenerate: Generator | None = None,
    ) -> GuardedAnswer:
        """The same as ``run``, without blocking the event loop."""
        return await arun(self._running(answer, passages, question, claims, policy, regenerate))

    def stream(
        self,
        deltas: Iterable[str],
        passages: PassageSource,
        *,
        question: str | None = None,
        mode: Mode = "buffer",
        regenerate: Generator | None = None,
        policy: Policy | str | None = None,
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
        policy: Policy | str | None = None,
    ) -> AsyncIterator[StreamEvent]:
        """The same as ``stream``, for deltas that are awaited; the event loop is not blocked."""
        from guardrail.streaming import aguarded_stream

        return aguarded_stream(
            self, deltas, passages, question=question, mode=mode, regenerate=regenerate, policy=policy
        )

    def repair(
        self, report: Report, *, policy: Policy | str | None = None, regenerate: Generator | None = None
    ) -> GuardedAnswer:
        """Decide on a report, and repair its answer where the policy asks for it; every new answer is checked."""
        return run(self.repairing(report, policy=policy, regenerate=regenerate))

    async def arepair(
        self, report: Report, *, policy: Policy | str | None = None, regenerate: Generator | None = None
    ) -> GuardedAnswer:
        """The same as ``repair``, without blocking the event loop."""
        return await arun(self.repairing(report, policy=policy, regenerate=regenerate))

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
        return run(self._drafting(answer, question))

    async def aextract(self, answer: str, question: str | None = None) -> tuple[Segment, ...]:
        """The same as ``extract``, without blocking the event loop."""
        return (await self.adraft(answer, question)).parts.segments

    async def adraft(self, answer: str, question: str | None = None) -> Draft:
        """The same as ``draft``, without blocking the event loop."""
        return await arun(self._drafting(answer, question))

    def apply(self, report: Report, *, policy: Policy | str | None = None) -> GuardedAnswer:
        """Decide on a report and edit its answer as the policy says. Pure; no engine is called."""
        from guardrail.repair.attempts import applied

        with self._observed(used := self.policy_of_call(policy), "apply") as seen:
            return seen.set_delivery(applied(report, used))

    def unanswered(self, why: str, *, question: str | None = None, policy: Policy | str | None = None) -> GuardedAnswer:
        """What is delivered where nobody answered in time: the policy's refusal, counted as an unverified answer.

        Args:
            why: What happened, for people; without a full stop.
            question: See check, as for ``policy``.
            policy: See check.
        """
        from guardrail.repair.unanswered import unanswered

        used = self.policy_of_call(policy)
        with self._observed(used) as seen:
            return seen.set_delivery(unanswered(self._call("", (), question, None, used).report(), why, used))

    def checking(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None = None,
        claims: Iterable[ClaimLike] | None = None,
        policy: Policy | str | None = None,
        engine: Engine | AsyncEngine | None = None,
    ) -> Program[Report]:
        """``check`` as a program (guardrail.check.drivers); with ``engine`` by that one and without the retriever."""
        from guardrail.check.plan import checked

        used = self.policy_of_call(policy)
        with self._observed(used) as seen:
            call = self._call(answer, passages, question, claims, used)
            if engine is not None:
                call = replace(call, engine=engine, retriever=None)
            seen.so_far = call.abandoned
            return seen.set_report((yield from checked(call)))

    def repairing(
        self,
        report: Report,
        *,
        policy: Policy | str | None = None,
        regenerate: Generator | None = None,
        only_edit: bool = False,
    ) -> Program[GuardedAnswer]:
        """``repair`` as a program; with ``only_edit`` nobody is asked for a new answer."""
        used = self.policy_of_call(policy)
        with self._observed(used, "repair") as seen:
            return seen.set_delivery((yield from self._repaired(report, used, regenerate, only_edit=only_edit)))

    def policy_of_call(self, given: Policy | str | None) -> Policy:
        """The policy of one call from beginning to end, even if its file changes meanwhile: the given one, or ours.

        Raises:
            UsageError: it is none, or the guard has none of that name.
        """
        if isinstance(given, str):
            if given not in self.policies:
                known = f"Known: {', '.join(self.policies)}." if self.policies else "The guard has none by name."
                raise UsageError(f"no policy {given!r}. {known} Pass Guard(policies={{name: policy}}), or a Policy.")
            return self.policies[given].current()
        if given is not None and not isinstance(given, Policy):
            raise UsageError(f"policy must be a Policy or a name, got {type(given).__name__}. Use Policy.load(file).")
        return self.policy.current() if given is None else given

    def with_engine(self, engine: Engine | AsyncEngine, telemetry: Telemetry) -> Guard:
        """The same guard with that engine, telling that telemetry."""
        return replace(self, engine=engine, telemetry=telemetry)

    def _batch(self, policy: Policy | str | None, seconds: float | None, max_calls: int | None, at_once: int) -> Batch:
        used = self.policy_of_call(policy)
        return batch_of(self.judge, self.checking, used, seconds=seconds, max_calls=max_calls, at_once=at_once)

    def _running(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        question: str | None,
        claims: Iterable[ClaimLike] | None,
        policy: Policy | str | None,
        regenerate: Generator | None,
    ) -> Program[GuardedAnswer]:
        from guardrail.check.plan import checked

        used = self.policy_of_call(policy)
        with self._observed(used) as seen:
            call = self._call(answer, passages, question, claims, used)
            seen.so_far = call.abandoned
            report = yield from checked(call)
            seen.so_far = lambda: report
            return seen.set_delivery((yield from self._repaired(report, used, regenerate)))

    def _repaired(
        self, report: Report, policy: Policy, regenerate: Generator | None, *, only_edit: bool = False
    ) -> Program[GuardedAnswer]:
        from guardrail.check.plan import checked
        from guardrail.repair.attempts import applied, repaired

        def check(answer: str, passages: tuple[Passage, ...]) -> Program[Report]:
            return checked(self._call(answer, passages, report.question, None, policy))

        if only_edit:
            return applied(report, policy)
        return (yield from repaired(report, policy, Authors(regenerate, self.rewriter), check))

    def _drafting(self, answer: str, question: str | None) -> Program[Draft]:
        from guardrail.check.claims import extracted

        used = self.policy.current()
        call = self._call(answer, (), question, None, used)
        with self._observed(used, "extract"):
            return (yield from extracted(call))

    def _observed(self, policy: Policy, name: str = "check") -> AbstractContextManager[Observation]:
        return observe(self.telemetry, policy.name, self.judge.name, name)

    def _call(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        question: str | None,
        claims: Iterable[ClaimLike] | None,
        policy: Policy,
    ) -> Call:
        from guardrail.check.call import Call

        return Call(
            answer=read_answer(answer),
            passages=read_passages(passages),
            question=read_question(question),
            engine=self.judge,
            threshold=policy.threshold,
            seconds=policy.deadline,
            linking=self.linking,
            claims=read_claims(claims),
            retriever=self.retriever,
        )
