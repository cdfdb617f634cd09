"""What every SQLite file of ours needs: the switch to WAL among several processes, and what an error of SQLite says."""

from __future__ import annotations

import sqlite3
import time

_SWITCH_SECONDS = 0.01
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def write_ahead(connection: sqlite3.Connection, patience: float) -> None:
    """Switch to WAL. SQLite does not wait where another process writes just then, as several at their start do."""
    until = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= until:
                raise
            time.sleep(_SWITCH_SECONDS)
        else:
            return


def is_damaged(error: Exception) -> bool:
    """Whether the file itself is broken."""
    return _code(error) in _DAMAGED


def is_busy(error: Exception) -> bool:
    """Whether somebody else was writing for too long."""
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _code(error: Exception) -> int | None:
    """SQLite's primary result code."""
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None
