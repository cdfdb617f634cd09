"""What a guard with its policy catches of injected errors, and how often it objects to honest answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from guardrail.check.threads import in_order
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.intervals import wilson
from guardrail.guard import Guard
from guardrail.types import Action, ErrorType, Finding, Usage, Verdict

_OBJECTING = frozenset({Verdict.CONTRADICTED, Verdict.UNSUPPORTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the guard made of one answer.

    ``objected``: the policy did something because a finding is contradicted or unsupported. ``unverified``: the guard
    could not judge, and says so. ``placed``: a finding at fault overlaps the injected error. ``named``: it also bears
    the injected type.
    """

    answer: LabelledAnswer
    objected: bool
    unverified: bool
    placed: bool
    named: bool
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeResult:
    """Counts of one error type; ``made`` is 0 where the corpus has no sure sentence for it."""

    error_type: ErrorType
    made: int = 0
    caught: int = 0
    unverified: int = 0
    placed: int = 0
    named: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StressReport:
    """All types in the order of ErrorType, and the honest answers. ``interval`` is for the false-alarm rate."""

    types: tuple[TypeResult, ...]
    honest: int
    alarms: int
    honest_unverified: int
    interval: tuple[float, float] | None
    policy: str
    engine: str

    @property
    def missing(self) -> tuple[ErrorType, ...]:
        """Types of which no answer could be made."""
        return tuple(result.error_type for result in self.types if not result.made)


def examine(guard: Guard, answers: Iterable[LabelledAnswer], *, jobs: int = 1) -> Iterator[Outcome]:
    """Run the guard on labelled answers, ``jobs`` at once; outcomes are in order."""
    return in_order(lambda answer: _examine(guard, answer), answers, jobs)


def _examine(guard: Guard, answer: LabelledAnswer) -> Outcome:
    guarded = guard.run(answer.answer, answer.passages, question=answer.question)
    report = guarded.report
    faults = [finding for finding in report.findings if finding.verdict in _OBJECTING]
    placed = [finding for finding in faults if _overlaps(finding, answer)]
    return Outcome(
        answer=answer,
        objected=bool(faults) and guarded.action is not Action.ALLOW,
        unverified=not faults and any(f.verdict is Verdict.UNVERIFIED for f in report.findings),
        placed=bool(placed),
        named=any(finding.error_type is answer.error_type for finding in placed),
        usage=report.usage,
    )


def _overlaps(finding: Finding, answer: LabelledAnswer) -> bool:
    return any(finding.span.start < span.end and span.start < finding.span.end for span in answer.error_spans)


def summarise(outcomes: Iterable[Outcome], guard: Guard) -> StressReport:
    """Counts per type, and the false-alarm rate with its Wilson interval."""
    by_type: dict[ErrorType | None, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_type[outcome.answer.error_type].append(outcome)
    honest = by_type[None]
    alarms = sum(outcome.objected for outcome in honest)
    return StressReport(
        types=tuple(_result(kind, by_type[kind]) for kind in ErrorType),
        honest=len(honest),
        alarms=alarms,
        honest_unverified=sum(outcome.unverified for outcome in honest),
        interval=wilson(alarms, len(honest)) if honest else None,
        policy=guard.policy.current().name,
        engine=getattr(guard.engine, "name", str(guard.engine)),
    )


def _result(kind: ErrorType, outcomes: Sequence[Outcome]) -> TypeResult:
    caught = [outcome for outcome in outcomes if outcome.objected]
    return TypeResult(
        error_type=kind,
        made=len(outcomes),
        caught=len(caught),
        unverified=sum(outcome.unverified for outcome in outcomes),
        placed=sum(outcome.placed for outcome in caught),
        named=sum(outcome.named for outcome in caught),
    )
