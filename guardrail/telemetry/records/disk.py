"""The writer's end of the file: rows go in, old ones out; opened anew where the file was moved, deleted or damaged."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from guardrail.telemetry.records.database import move_aside, open_to_write
from guardrail.telemetry.records.retention import SAMPLE, note_fact, prune, tidy
from guardrail.telemetry.records.rows import COLUMNS, Row
from guardrail.telemetry.sqlite_file import is_busy, is_damaged

_VALUES = ", ".join("?" * len(COLUMNS))
_INSERT = f"INSERT INTO records ({', '.join(COLUMNS)}) VALUES ({_VALUES}) ON CONFLICT (id) DO NOTHING"  # noqa: S608
_INSERT_CONTENT = "INSERT INTO contents (number, content) VALUES (?, ?)"
_PATIENCE_SECONDS = 2.0  # for other processes that write
_PRUNE_SECONDS = 600.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a store keeps to; see RecordStore."""

    sample: float
    days: float | None
    max_records: int | None
    queue: int


class Disk:
    """One connection, for one thread at a time. Its methods raise sqlite3.Error, OSError or ConfigurationError."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path = path
        self._limits = limits
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._unpruned = 0
        self._next_prune = 0.0  # after the first write: a process may not live long

    def write(self, rows: Sequence[Row]) -> int:
        """Write all rows, or none; returns how many are new: an id that is there already was recorded before."""
        new = 0
        connection = self._connected()
        connection.execute("BEGIN IMMEDIATE")
        try:
            for row in rows:
                done = connection.execute(_INSERT, row.values)
                if done.rowcount:
                    new += 1
                    connection.execute(_INSERT_CONTENT, (done.lastrowid, row.content))
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        self._unpruned += new
        return new

    def prune(self) -> None:
        """Delete what is too old or too much, now and then."""
        most = self._limits.max_records
        due = most is not None and self._unpruned >= max(1, most // 100)
        if self._connection is None or not (due or time.monotonic() >= self._next_prune):
            return
        self._unpruned = 0
        self._next_prune = time.monotonic() + _PRUNE_SECONDS
        connection = self._connected()
        prune(connection, time.time(), self._limits.days, most)
        tidy(connection)

    def recover(self, error: Exception) -> None:
        """Begin afresh at the next write; a damaged file is out of the way by then."""
        if is_busy(error):
            return
        ours = self._file is not None and self._file == _identity(self._path)
        self.let_go()
        if is_damaged(error) and ours:
            _log.error("%r was damaged; it is moved aside and a new one begun", str(self._path))
            move_aside(self._path)

    def let_go(self) -> None:
        """Close the file."""
        connection, self._connection, self._file = self._connection, None, None
        if connection is not None:
            try:
                connection.close()
            except sqlite3.Error as error:
                _log.debug("not closed", exc_info=error)

    def _connected(self) -> sqlite3.Connection:
        """The connection; a new one where the file was moved or deleted, which SQLite does not notice."""
        if self._connection is not None:
            if _identity(self._path) == self._file:
                return self._connection
            self.let_go()
        connection = open_to_write(self._path, _PATIENCE_SECONDS)
        self._connection, self._file = connection, _identity(self._path)
        note_fact(connection, SAMPLE, self._limits.sample)
        return connection


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
