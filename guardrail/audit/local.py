"""Batches judged by a process per core of this machine, and committed in order by this one."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import Any

from guardrail.audit.answer import Rejected
from guardrail.audit.columns import excerpt_of
from guardrail.audit.judging import Batch, Judged, Judging, judge_batch
from guardrail.guard import Guard

_AHEAD = 2
"""Batches in flight per worker: one is judged while the next waits beside it."""

_KILLED = "its check ended the process (out of memory, or a crash in a library)"

_worker: dict[str, Any] = {}


def judged_here(batches: Iterator[Batch], judging: Judging, guard: Guard) -> Iterator[Judged]:
    """In this process, for engines that cannot be sent to another."""
    for batch in batches:
        yield judge_batch(guard, batch, judging)


def judged_by_processes(batches: Iterator[Batch], judging: Judging, workers: int) -> Iterator[Judged]:
    """By so many processes, in the order of the batches.

    Where a process dies, what was in flight is judged again in smaller parts, until the answer that kills is alone: it
    is rejected.
    """
    pool = _Pool(judging, workers)
    flight: deque[tuple[Batch, Future[Judged]]] = deque()
    try:
        for batch in batches:
            flight.append((batch, pool.submit(batch)))
            while len(flight) >= _AHEAD * workers:
                yield _next(flight, pool)
        while flight:
            yield _next(flight, pool)
    finally:
        pool.stop()


class _Pool:
    def __init__(self, judging: Judging, workers: int) -> None:
        self._judging = judging
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, batch: Batch) -> Future[Judged]:
        """Hand a batch to a process; to a new one where the last died."""
        for _ in range(2):
            if self._pool is None:
                # Not "fork": the parent has threads, of pyarrow and the model, that would not come along.
                self._pool = ProcessPoolExecutor(
                    self._workers, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(self._judging,)
                )
            try:
                return self._pool.submit(_judge, batch)
            except BrokenProcessPool:
                self.stop()
        raise BrokenProcessPool("no process can be started")

    def stop(self) -> None:
        """End the processes at once."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        processes = list((getattr(pool, "_processes", None) or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(10)


def _next(flight: deque[tuple[Batch, Future[Judged]]], pool: _Pool) -> Judged:
    batch, future = flight[0]
    try:
        judged = future.result()
    except BrokenProcessPool:
        pool.stop()
        judged = _carefully(batch, pool)
        # The others were lost with the pool, whoever killed it.
        for place in range(1, len(flight)):
            other, lost = flight[place]
            if not lost.done() or lost.cancelled() or lost.exception() is not None:
                flight[place] = (other, pool.submit(other))
    flight.popleft()
    return judged


def _carefully(batch: Batch, pool: _Pool) -> Judged:
    """The batch again, in halves where it kills the process again."""
    try:
        return pool.submit(batch).result()
    except BrokenProcessPool:
        pool.stop()
        if not batch.items:  # no answer kills it: no process can work here
            raise
    if len(batch.items) == 1:
        answer = batch.items[0].answer
        gone = Rejected(place=answer.place, id=answer.id, reason=_KILLED, excerpt=excerpt_of(answer.answer))
        rest = replace(batch, items=(), rejected=(*batch.rejected, gone))
        return replace(pool.submit(rest).result(), failed=(answer.content,))
    half = len(batch.items) // 2
    first = _carefully(replace(batch, items=batch.items[:half]), pool)
    second = _carefully(replace(batch, items=batch.items[half:], rejected=(), size=0.0, seen=0), pool)
    return joined(first, second)


def joined(first: Judged, second: Judged) -> Judged:
    """Both as one batch."""
    return replace(
        first,
        rows={table: [*rows, *second.rows[table]] for table, rows in first.rows.items()},
        rejected=(*first.rejected, *second.rejected),
        size=first.size + second.size,
        seen=first.seen + second.seen,
        judged=first.judged + second.judged,
        passing=first.passing + second.passing,
        spent=first.spent + second.spent,
        failed=(*first.failed, *second.failed),
        cost=first.cost + second.cost,
        verdicts=Counter(first.verdicts) + Counter(second.verdicts),
    )


def _begin(judging: Judging) -> None:
    """In a new process: make the guard; leave Ctrl-C to the parent, and end when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _worker.update(guard=judging.warm_guard(), judging=judging)


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def _judge(batch: Batch) -> Judged:
    return judge_batch(_worker["guard"], batch, _worker["judging"])
