"""The cache as one SQLite file that outlives the process and that several processes may share.

Only texts are stored, so nothing that is read back can run as code. Who can write to the folder can forge verdicts:
files are made for the owner alone. Not for network drives, on which SQLite's locks do not hold.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from weakref import finalize

from guardrail.engines.llm.caches.memory import Backoff, refuse_limits
from guardrail.errors import ConfigurationError
from guardrail.telemetry.sqlite_file import is_busy, is_damaged, write_ahead

FILE = "verdicts-1.sqlite3"
"""Name of the file; the number is that of its format."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS verdicts (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, value TEXT NOT NULL, stored REAL NOT NULL
)"""
_EVICT = """
DELETE FROM verdicts WHERE number <= (SELECT number FROM verdicts ORDER BY number DESC LIMIT 1 OFFSET ?)"""
_BUSY_SECONDS = 0.25
_OUTAGE_SECONDS = 5.0

_log = logging.getLogger(__name__)
_inherited: list[_Link] = []  # a forked child must not even close its parent's connections


@dataclass(frozen=True, slots=True, eq=False)
class _Link:
    """A connection of one process. ``file`` is the device and inode that it was opened on."""

    connection: sqlite3.Connection
    file: tuple[int, int]
    process: int = field(default_factory=os.getpid)
    lock: threading.Lock = field(default_factory=threading.Lock)


class DiskCache:
    """Texts in ``folder``; forgets the oldest first.

    Args:
        folder: Made if it is not there (for the owner alone).
        entries: At most so many texts (about 1 kB each); up to 1 % more for a while.
        max_age: Seconds after which a text is forgotten; None = never.

    Raises:
        ConfigurationError: the folder cannot be made, or a limit is not positive. Later failures are misses: a locked,
            full or read-only disk is left alone for some seconds, a corrupt file is moved aside.
    """

    def __init__(self, folder: str | Path, *, entries: int = 100_000, max_age: float | None = None) -> None:
        refuse_limits(entries, max_age)
        self.folder = Path(folder)
        self.entries = entries
        self.max_age = max_age
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(
                f"cannot make the cache folder {str(folder)!r}: {error.strerror}. Name another folder."
            ) from error
        self._link: _Link | None = None
        self._opening = threading.Lock()
        self._sets = count(1)
        self._backoff = Backoff("the cache on disk", _OUTAGE_SECONDS)

    def get(self, key: str) -> str | None:
        """See Cache.get."""
        oldest = 0.0 if self.max_age is None else time.time() - self.max_age
        for (value,) in self._run("SELECT value FROM verdicts WHERE key = ? AND stored > ?", (key, oldest)):
            return value if isinstance(value, str) else None
        return None

    def set(self, key: str, value: str) -> None:
        """See Cache.set."""
        self._run("INSERT OR REPLACE INTO verdicts (key, value, stored) VALUES (?, ?, ?)", (key, value, time.time()))
        if next(self._sets) % max(1, self.entries // 100) == 0:
            self._run(_EVICT, (self.entries,))

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        link, self._link = self._link, None
        if link is not None and link.process == os.getpid():
            with link.lock:
                link.connection.close()

    def _run(self, statement: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        if self._backoff.active:
            return []
        link = None
        try:
            link = self._linked()
            with link.lock:
                rows = link.connection.execute(statement, values).fetchall()
        except UnicodeError:  # a lone surrogate, which no file can hold
            return []
        except (sqlite3.Error, OSError) as error:
            self._recover(link, error)
            return []
        self._backoff.end()
        return rows

    def _linked(self) -> _Link:
        link = self._link
        if link is not None and link.process == os.getpid():
            return link
        if link is not None:
            _inherited.append(link)
            self._opening = threading.Lock()  # the parent's may have been held when it forked
        with self._opening:
            if self._link is link:
                self._link = self._open()
            return self._link or self._open()

    def _open(self) -> _Link:
        path = self.folder / FILE
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite gives its side files the same mode
        stat = path.stat()
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        link = _Link(connection, (stat.st_dev, stat.st_ino))
        try:
            write_ahead(connection, _BUSY_SECONDS)
            for statement in ("PRAGMA synchronous = NORMAL", _SCHEMA):
                connection.execute(statement)
        except sqlite3.DatabaseError as error:
            connection.close()
            if is_damaged(error):
                self._move_aside(link)
            raise
        finalize(self, _close, link)
        return link

    def _recover(self, link: _Link | None, error: Exception) -> None:
        """Start afresh at the next use; a corrupt file is out of the way by then."""
        if is_busy(error) or self._link is not link:
            return  # others at work are no outage; or another thread has seen to it
        self.close()
        if not is_damaged(error):
            self._backoff.begin(error)
        elif link is not None:
            self._move_aside(link)

    def _move_aside(self, link: _Link) -> None:
        path = self.folder / FILE
        with suppress(OSError):
            stat = path.stat()
            if (stat.st_dev, stat.st_ino) != link.file:
                return  # another process was faster; what lies there now is new
            for end in ("-wal", "-shm", ""):
                side = path.with_name(path.name + end)
                if side.exists():
                    side.replace(path.with_name(f"{path.name}.corrupt{end}"))
            _log.warning("the cache file %s was corrupt; it was moved aside and a new one begun", path)


def _close(link: _Link) -> None:
    if link.process == os.getpid():
        link.connection.close()
