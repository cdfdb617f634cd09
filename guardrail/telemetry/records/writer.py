"""The thread that writes: callers hand outcomes over and go on, whatever the disk does."""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from opentelemetry import metrics

from guardrail.errors import ConfigurationError
from guardrail.telemetry.outcome import Outcome
from guardrail.telemetry.records import fork_safety
from guardrail.telemetry.records.disk import Disk, Limits
from guardrail.telemetry.records.rows import Redact, Row, as_row
from guardrail.telemetry.sqlite_file import is_damaged

_GATHER_SECONDS = 0.02  # what a signal may cost: atexit is not sure to run
_BATCH = 100
_IDLE_SECONDS = 600.0
_RETRY_SECONDS = (0.5, 30.0)
_GIVE_UP_SECONDS = 60.0
_LOG_SECONDS = 60.0

_log = logging.getLogger(__name__)
_records = metrics.get_meter("guardrail").create_counter(
    "guardrail.records", unit="{record}", description="Records by what became of them"
)
_inherited: list[object] = []  # a forked child must not even close its parent's connections

Fate = Literal["written", "sampled_out", "dropped", "failed"]
_Kept = tuple[Outcome, float]


class Counters:
    """What became of outcomes, in this process: counted here and in the metric ``guardrail.records``."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.RLock()  # a signal handler may come in between

    def add(self, fate: Fate, number: int = 1) -> None:
        """Count; a broken metrics SDK changes nothing."""
        with self._lock:
            self._counts[fate] += number
        try:
            _records.add(number, {"outcome": fate})
        except Exception as error:
            _log.debug("not counted", exc_info=error)

    def counts(self) -> dict[str, int]:
        """How many by fate, so far."""
        with self._lock:
            return dict(self._counts)


class Writer:
    """Writes outcomes to ``path`` in transactions of up to some hundred, in a daemon thread of its own.

    A disk that is locked, full, read-only or gone is tried again, less and less often; what cannot be written within a
    minute is given up and counted as failed, what does not fit into the queue meanwhile as dropped.
    """

    def __init__(self, path: Path, limits: Limits, redact: Redact | None) -> None:
        self._path = path
        self._limits = limits
        self._redact = redact
        self._begin()
        fork_safety.register(self)

    def _begin(self) -> None:
        self.counters = Counters()
        self._queue: queue.SimpleQueue[_Kept | threading.Event] = queue.SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._in_sqlite = threading.Lock()
        self._disk = Disk(self._path, self._limits)
        self._trouble_since: float | None = None
        self._warned = self._said_dropped = -_LOG_SECONDS
        self._dropped = 0

    # What callers do.

    def put(self, outcome: Outcome, rate: float) -> bool:
        """Hand over an outcome that was kept with this chance; False if there is no room."""
        if self._queue.qsize() >= self._limits.queue or self._stopping.is_set():
            return False
        self._queue.put((outcome, rate))
        if self._thread is None:
            self._start()
        return True

    def flush(self, seconds: float) -> bool:
        """Wait until all that was put has been written or given up; False if that takes longer."""
        if self._thread is None or not self._thread.is_alive():
            return self._queue.empty()
        reached = threading.Event()
        self._queue.put(reached)
        return reached.wait(seconds)

    def stop(self) -> None:
        """Refuse what comes; write what is there, and end."""
        self._stopping.set()
        self._queue.put(threading.Event())  # wakes the thread

    def close(self, seconds: float) -> bool:
        """As ``stop``, and wait for it; False if it takes longer."""
        self.stop()
        thread = self._thread
        if thread is not None:
            thread.join(seconds)
        return thread is None or not thread.is_alive()

    # What forks need.

    def pause(self, seconds: float) -> bool:
        """See Forked.pause."""
        if not self._in_sqlite.acquire(timeout=seconds):
            return False
        self._disk.let_go()
        return True

    def resume(self) -> None:
        """See Forked.resume."""
        self._in_sqlite.release()

    def restart(self) -> None:
        """See Forked.restart. What was closed stays closed."""
        _inherited.extend((self._disk, self._queue, self._thread))
        closed = self._stopping.is_set()
        self._begin()
        if closed:
            self._stopping.set()

    # What the thread does.

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="guardrail-records", daemon=True)
                thread.start()
                self._thread = thread

    def _run(self) -> None:
        while True:
            kept, marks = self._gather()
            try:
                self._write(self._rows(kept))
                self._prune()
            except Exception:  # a bug of ours must not end the thread: the queue would fill for ever
                _log.exception("writing records failed")
            self._say_dropped()
            for mark in marks:
                mark.set()
            if self._stopping.is_set() and self._queue.empty():
                with self._in_sqlite:
                    self._disk.let_go()
                return

    def _gather(self) -> tuple[list[_Kept], list[threading.Event]]:
        """What is there after a short while, so that few transactions write many; nothing after a long while."""
        kept: list[_Kept] = []
        marks: list[threading.Event] = []
        until = time.monotonic() + _IDLE_SECONDS
        while len(kept) < _BATCH:
            try:
                item = self._queue.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                break
            if isinstance(item, threading.Event):
                marks.append(item)
                until = 0.0  # somebody waits: take what is there and go
                continue
            if not kept:
                until = min(until, time.monotonic() + _GATHER_SECONDS)
            kept.append(item)
        return kept, marks

    def _rows(self, kept: Sequence[_Kept]) -> list[Row]:
        rows = []
        for outcome, rate in kept:
            try:
                rows.append(as_row(outcome, rate, self._redact))
            except Exception as error:  # somebody's own Outcome
                self.counters.add("failed")
                self._warn("an outcome could not be made a record", error)
        return rows

    def _write(self, rows: list[Row]) -> None:
        """Write them all, in time; else give them up."""
        pause, longest = _RETRY_SECONDS
        while rows:
            try:
                with self._in_sqlite:
                    new = self._disk.write(rows)
            except Exception as error:
                if not _may_pass(error):
                    self._write_singly(rows, error)
                    return
                self._recover(error)
            else:
                self.counters.add("written", new)
                self._trouble_ends()
                return
            if self._gives_up():
                self.counters.add("failed", len(rows))
                return
            self._say_dropped()
            self._stopping.wait(pause)
            pause = min(2 * pause, longest)

    def _write_singly(self, rows: list[Row], error: Exception) -> None:
        """One record that cannot be stored must not take the others with it."""
        if len(rows) > 1:
            for row in rows:
                self._write([row])
            return
        self.counters.add("failed", len(rows))
        self._warn("a record could not be written", error)

    def _prune(self) -> None:
        try:
            with self._in_sqlite:
                self._disk.prune()
        except (sqlite3.Error, OSError, ConfigurationError) as error:
            self._warn(f"old records cannot be deleted from {str(self._path)!r}; tried again later", error)
            self._reopen(error)

    def _gives_up(self) -> bool:
        lasted = 0.0 if self._trouble_since is None else time.monotonic() - self._trouble_since
        return self._stopping.is_set() or lasted > _GIVE_UP_SECONDS

    def _recover(self, error: Exception) -> None:
        if self._trouble_since is None:
            self._trouble_since = time.monotonic()
        self._warn(f"records cannot be written to {str(self._path)!r}; tried again", error)
        self._reopen(error)

    def _reopen(self, error: Exception) -> None:
        try:
            with self._in_sqlite:
                self._disk.recover(error)
        except OSError as failed:
            self._warn("the damaged file could not be moved aside", failed)

    def _trouble_ends(self) -> None:
        if self._trouble_since is not None:
            self._trouble_since = None
            _log.warning("records are written to %r again", str(self._path))

    def _warn(self, what: str, error: Exception) -> None:
        """Once a minute at most; of an error that may hold texts only its type."""
        if time.monotonic() - self._warned >= _LOG_SECONDS:
            self._warned = time.monotonic()
            own = isinstance(error, (sqlite3.Error, OSError, ConfigurationError))
            _log.warning("%s (%s)", what, error if own else type(error).__name__)

    def _say_dropped(self) -> None:
        dropped = self.counters.counts().get("dropped", 0)
        if dropped > self._dropped and time.monotonic() - self._said_dropped >= _LOG_SECONDS:
            self._said_dropped = time.monotonic()
            _log.warning(
                "%d records were dropped: the queue of %d is full", dropped - self._dropped, self._limits.queue
            )
            self._dropped = dropped


def _may_pass(error: Exception) -> bool:
    """Trouble with the file, rather than with a record."""
    return isinstance(error, (sqlite3.OperationalError, OSError, ConfigurationError)) or is_damaged(error)
