"""What every SQLite file of ours needs."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from guardrail.telemetry.sqlite_file import is_busy, is_damaged, write_ahead


def test_a_file_is_switched_to_wal_and_stays_so(tmp_path):
    for _ in range(2):
        with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as connection:
            write_ahead(connection, 1.0)
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_file_that_stays_locked_is_busy_and_not_damaged(tmp_path):
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE t (x)")
        other.execute("BEGIN EXCLUSIVE")
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
            with pytest.raises(sqlite3.OperationalError) as error:
                write_ahead(connection, 0.0)
            assert is_busy(error.value)
            assert not is_damaged(error.value)


def test_a_file_of_something_else_is_damaged(tmp_path):
    path = tmp_path / "a.db"
    path.write_text("no database at all, but long enough to have a header of its own" * 10)
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.DatabaseError) as error:
        connection.execute("SELECT 1 FROM sqlite_master")
    assert is_damaged(error.value)
    assert not is_busy(error.value)
    assert not is_damaged(ValueError("no code"))
