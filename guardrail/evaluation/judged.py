"""Run the guard on labelled answers: the one pass that evaluation and calibration share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from guardrail.check.threads import in_order
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.guard import Guard
from guardrail.types import ErrorType, Report, Verdict


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled answer with what the guard found."""

    answer: LabelledAnswer
    report: Report

    @property
    def passed(self) -> bool:
        """Whether the guard says that the passages support all of it."""
        return self.report.verdict is Verdict.SUPPORTED

    @property
    def found_types(self) -> frozenset[ErrorType]:
        """Error types of the findings that are not supported."""
        return frozenset(
            f.error_type
            for f in self.report.findings
            if f.error_type is not None and f.verdict is not Verdict.SUPPORTED
        )


def judge(
    guard: Guard, answers: Iterable[LabelledAnswer], *, tick: Callable[[], None] | None = None, jobs: int = 1
) -> list[Judged]:
    """Check each answer against its passages; the result is in order, whatever ``jobs`` (answers judged at once).

    ``tick`` is called after each.

    Raises:
        UsageError: an answer or its passages are nothing that the guard can check, or its engine can only be awaited.
    """
    judged = []
    for one in in_order(lambda answer: _judge(guard, answer), answers, jobs):
        judged.append(one)
        if tick is not None:
            tick()
    return judged


def _judge(guard: Guard, answer: LabelledAnswer) -> Judged:
    return Judged(answer, guard.check(answer.answer, answer.passages, question=answer.question))
