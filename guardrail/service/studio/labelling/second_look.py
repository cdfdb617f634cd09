"""Answers judged in the background: those of a file that nobody checked, or all of a draw by another engine."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from guardrail.errors import UsageError
from guardrail.guard import Guard
from guardrail.service.studio.labelling.sheet import Record, unfit
from guardrail.service.studio.recorded.contest import judged
from guardrail.service.studio.recorded.file_source import FileSource
from guardrail.service.studio.recorded.jobs import Job, Jobs
from guardrail.service.studio.recorded.source import UNCHECKED, Source
from guardrail.telemetry.records.record import FAULTY
from guardrail.types import Verdict

MOST = 300
"""Answers that are judged for one queue."""


@dataclass(slots=True)
class Looked:
    """What was seen so far: ``apart`` holds the number and the distance (see ``distance``) of those that differ."""

    apart: list[tuple[float, int]] = field(default_factory=list)
    failed: int = 0

    def furthest(self) -> list[int]:
        """Numbers of the answers that were judged differently, the furthest apart first."""
        return [number for _, number in sorted(self.apart, key=lambda pair: (-pair[0], pair[1]))]


class SecondLooks:
    """The background work of the queues, one job for each engine and draw."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._jobs: Jobs[Looked] = Jobs()
        self._started: dict[tuple[str, int], Job[Looked]] = {}
        self._lock = threading.Lock()

    def job(
        self, engine: str, seed: int, guard: Guard, numbers: Sequence[int], first: Guard | None = None
    ) -> Job[Looked]:
        """The job of this engine and draw, begun if there is none; one that was stopped stays as it is.

        Args:
            engine: Its name.
            seed: Of the draw.
            guard: Judges with it.
            numbers: The records drawn.
            first: Checks what nobody checked before it is compared; None: what ``guard`` finds is all that is wanted.

        Raises:
            UsageError: too much is under way.
        """
        with self._lock:
            found = self._started.get((engine, seed))
            if found is None:
                found = self._jobs.start(Looked(), lambda job: self._look(job, guard, numbers[:MOST], first))
                self._started[engine, seed] = found
            return found

    def stop(self) -> None:
        """End all that is under way, after the answer at hand."""
        with self._lock:
            for job in self._started.values():
                job.stop()

    def _look(self, job: Job[Looked], guard: Guard, numbers: Sequence[int], first: Guard | None) -> None:
        job.total = len(numbers)
        for number in numbers:
            if job.stopping:
                return
            with self._source.open() as connection:
                record = next((found for _, found in self._source.read(connection, (number,))), None)
            if record is not None and unfit(record) is None:
                try:
                    self._compare(job.result, number, checked(self._source, record, first or guard), guard, first)
                except UsageError:
                    job.result.failed += 1
            job.done += 1

    def _compare(self, looked: Looked, number: int, record: Record, guard: Guard, first: Guard | None) -> None:
        if first is None:
            return
        other = judged(record, guard)
        apart = 0.0 if other is None else distance(record, other)
        if apart > 0.0:
            looked.apart.append((apart, number))


def checked(source: Source, record: Record, guard: Guard) -> Record:
    """The record; of an answer of a file that nobody checked, as this guard finds it, which is kept.

    Raises:
        UsageError: it cannot be checked.
    """
    if record["verdict"] != UNCHECKED:
        return record
    found = judged(record, guard)
    if found is None:
        return record
    if isinstance(source, FileSource):
        source.keep(found)
    return found


def distance(one: Record, other: Record) -> float:
    """How far apart two engines are on an answer: 0 where both call it right, or both wrong.

    Else between 1 and 2, by how far apart their scores are; what one of them could not judge is no disagreement.
    """
    verdicts = (one["verdict"], other["verdict"])
    if Verdict.UNVERIFIED in verdicts or (verdicts[0] in FAULTY) == (verdicts[1] in FAULTY):
        return 0.0
    scores: list[float] = [record["score"] or 0.0 for record in (one, other)]
    return 1.0 + abs(scores[0] - scores[1])
