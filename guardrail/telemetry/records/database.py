"""The file: its tables, and how it is opened. Only texts and numbers are stored, so nothing read back can run as code.

Opened once per process for writing (writer.py) and anew for every question, so no connection is shared.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from guardrail.errors import ConfigurationError, UsageError
from guardrail.telemetry.sqlite_file import is_damaged, write_ahead

VERSION = 1
"""Of the tables; ``PRAGMA user_version`` of the file."""

_OWNER = 0x67726473  # "grds": tells our files from other people's SQLite files
_PATIENCE = 5.0
_SIDES = ("-wal", "-shm", "")

_TABLES = (
    """CREATE TABLE records (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at REAL NOT NULL, verdict TEXT NOT NULL,
        rank INTEGER NOT NULL, score REAL NOT NULL, action TEXT NOT NULL, clean INTEGER NOT NULL, rule TEXT NOT NULL,
        policy TEXT NOT NULL, engine TEXT NOT NULL, labels TEXT NOT NULL, error_types TEXT NOT NULL, trace_id TEXT,
        span_id TEXT, seconds REAL NOT NULL, attempts INTEGER NOT NULL, exhausted INTEGER NOT NULL,
        rate REAL NOT NULL, digest TEXT NOT NULL, label TEXT, label_error_type TEXT, finding_labels TEXT, note TEXT,
        labelled_at REAL, labelled_by TEXT)""",
    "CREATE INDEX records_by_time ON records (at)",
    "CREATE INDEX records_by_rank ON records (rank, score)",
    # Texts lie apart: what looks for records does not page through them.
    "CREATE TABLE contents (number INTEGER PRIMARY KEY, content TEXT NOT NULL)",
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value REAL NOT NULL)",
    f"PRAGMA application_id = {_OWNER}",
    f"PRAGMA user_version = {VERSION}",
)


def refuse_unusable(path: Path) -> None:
    """Before the service starts: a file can be here, and what is here is a store that we read.

    Raises:
        ConfigurationError: says which of these is not so.
    """
    name = repr(str(path))
    try:
        if path.is_dir():
            raise ConfigurationError(f"cannot store records in {name}: it is a folder. Name a file in it.")
        if not path.parent.is_dir():
            raise ConfigurationError(
                f"cannot store records in {name}: there is no folder {str(path.parent)!r}. Make it first."
            )
        there = path.exists()
    except OSError as error:  # a folder on the way may not be entered
        raise ConfigurationError(f"cannot store records in {name}: {error.strerror}. Name another file.") from error
    if there:
        with suppress(StoreAccessError), open_store(path):
            pass
    elif not os.access(path.parent, os.W_OK):
        raise ConfigurationError(f"cannot store records in {name}: its folder is not writable. Name another.")


class StoreAccessError(UsageError):
    """The file cannot be read or written now (locked, no right to): that may pass."""


@contextmanager
def open_store(path: Path, *, writes: bool = False, whole: bool = True) -> Iterator[sqlite3.Connection]:
    """A connection for one question. A file that is not there yet seems empty.

    Args:
        path: The file.
        writes: It may change the file.
        whole: All that it changes is one transaction.

    Raises:
        ConfigurationError: it is no store, or one of a newer version.
        StoreAccessError: it cannot be read or written now.
    """
    try:
        connection = _connect(path) if path.exists() else in_memory()
        try:
            if version(connection, path) == 0:
                connection.close()
                connection = in_memory()
            if writes:
                connection.execute("PRAGMA secure_delete = ON")
                if whole:
                    connection.execute("BEGIN IMMEDIATE")
            else:
                connection.execute("PRAGMA query_only = ON")
            yield connection
            if connection.in_transaction:
                connection.execute("COMMIT")
        finally:
            connection.close()  # what was not committed is undone
    except sqlite3.Error as error:
        doing = "write" if writes else "read"
        raise StoreAccessError(f"cannot {doing} {str(path)!r}: {error}.") from error


def in_memory(*, one_thread: bool = True) -> sqlite3.Connection:
    """An empty store that is nowhere on disk. ``one_thread`` False: whoever uses it from several takes turns."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=one_thread)
    for statement in _TABLES:
        connection.execute(statement)
    return connection


def _connect(path: Path) -> sqlite3.Connection:
    """For reading and, where that is allowed, writing; never makes a file."""
    where = f"file:{quote(str(path.absolute()))}"
    connection = sqlite3.connect(f"{where}?mode=rw", uri=True, timeout=_PATIENCE, isolation_level=None)
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        if Path(f"{path}-wal").exists() or os.access(path.parent, os.W_OK):
            raise
        # A copy on a read-only disk: its side files cannot be made, and nobody else writes to it.
        return sqlite3.connect(f"{where}?immutable=1", uri=True, isolation_level=None)
    except sqlite3.DatabaseError:  # version() says what is wrong
        pass
    return connection


def version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the tables; 0 for a file that nothing was written to.

    Raises:
        ConfigurationError: see ``open_store``.
    """
    try:
        # First of all: tables come with the owner, and another process may make them in between.
        empty = connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None
        owner: int = connection.execute("PRAGMA application_id").fetchone()[0]
        found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        if not is_damaged(error):
            raise
        raise ConfigurationError(f"{str(path)!r} is no record store: {error}. Name another file.") from error
    if owner != _OWNER and not empty:
        raise ConfigurationError(f"{str(path)!r} is an SQLite file of something else. Name another file.")
    if found > VERSION:
        raise ConfigurationError(
            f"{str(path)!r} has version {found}, written by a newer guardrail; this one reads up to {VERSION}. "
            "Upgrade rag-guardrail, or name another file."
        )
    return found


def open_to_write(path: Path, patience: float) -> sqlite3.Connection:
    """The writer's connection, which the thread that forks closes; makes the file, for its owner alone, and its tables.

    Raises:
        sqlite3.Error, OSError, ConfigurationError: it cannot be written, now or ever.
    """
    # A file that is there is never opened past SQLite: to close it would end the locks of this process on it.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    connection = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
    try:
        if version(connection, path) == 0:
            _make_tables(connection, path)
        write_ahead(connection, patience)
        for statement in ("PRAGMA synchronous = NORMAL", "PRAGMA secure_delete = ON"):
            connection.execute(statement).fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _make_tables(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only before there is any table
    connection.execute("BEGIN IMMEDIATE")
    if version(connection, path) == 0:  # else another process was faster
        for statement in _TABLES:
            connection.execute(statement)
    connection.execute("COMMIT")


def storable(text: str) -> str:
    """Lone surrogates as escapes: no file can hold them."""
    return text.encode("utf-8", "backslashreplace").decode()


def files_of(path: Path) -> tuple[Path, ...]:
    """The file and those that SQLite keeps beside it."""
    return tuple(Path(f"{path}{end}") for end in _SIDES)


def move_aside(path: Path) -> None:
    """Take a damaged file out of the way, so that a new one can be begun; it can still be salvaged."""
    for end in _SIDES:
        side = Path(f"{path}{end}")
        if side.exists():
            side.replace(Path(f"{path}.damaged{end}"))
