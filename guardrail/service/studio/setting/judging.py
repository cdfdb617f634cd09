"""Labelled answers judged in the background, once for each engine and deadline; kept as long as the studio runs."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.judged import Judged, judge
from guardrail.guard import Guard
from guardrail.service.studio.recorded.jobs import Job, Jobs
from guardrail.types import Report

Kind = tuple[str, str, float | None]
"""Engine, the policy that it is made for, and seconds for an answer."""

_Text = tuple[str, tuple[object, ...], str | None]


class Judgings:
    """Reports by kind and text, and the jobs that make them."""

    def __init__(self) -> None:
        self._reports: dict[tuple[Kind, _Text], Report] = {}
        self._jobs: Jobs[None] = Jobs()
        self._last: dict[Kind, Job[None]] = {}
        self._lock = threading.Lock()

    def judged(self, kind: Kind, labelled: Sequence[LabelledAnswer]) -> list[Judged] | None:
        """All of them with their reports; None where some are not judged yet."""
        found = []
        for answer in labelled:
            report = self._reports.get((kind, _text(answer)))
            if report is None:
                return None
            found.append(Judged(answer, report))
        return found

    def begin(self, kind: Kind, guard: Guard, labelled: Sequence[LabelledAnswer], *, again: bool) -> Job[None]:
        """The job that judges what is not judged yet; one that was stopped or failed only goes on where ``again``.

        Raises:
            UsageError: too much is under way.
        """
        with self._lock:
            last = self._last.get(kind)
            if last is not None and (last.state == "running" or (last.state != "done" and not again)):
                return last
            left = [answer for answer in labelled if (kind, _text(answer)) not in self._reports]
            job = self._last[kind] = self._jobs.start(None, lambda job: self._judge(job, kind, guard, left))
            return job

    def stop(self) -> None:
        """End what is under way, after the answer at hand."""
        with self._lock:
            for job in self._last.values():
                job.stop()

    def _judge(self, job: Job[None], kind: Kind, guard: Guard, left: Sequence[LabelledAnswer]) -> None:
        job.total = len(left)
        for answer in left:
            if job.stopping:
                return
            (one,) = judge(guard, [answer])
            self._reports[kind, _text(answer)] = one.report
            job.done += 1


def _text(answer: LabelledAnswer) -> _Text:
    return answer.answer, answer.passages, answer.question
