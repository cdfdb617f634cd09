"""The file: made for its owner, refused where it is none of ours."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing

import pytest

from guardrail import ConfigurationError, UsageError
from guardrail.telemetry.records import RecordStore, database

pytestmark = pytest.mark.usefixtures("impatient")


def test_the_file_is_for_its_owner_alone(store, path, outcome):
    store.record(outcome())
    store.flush()
    assert {oct(file.stat().st_mode & 0o777) for file in path.parent.iterdir()} == {"0o600"}
    assert store.export(path.parent / "out.jsonl") == 1
    assert (path.parent / "out.jsonl").stat().st_mode & 0o777 == 0o600


def make(path, statement):
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE t (x)")
        other.execute(statement)
        other.commit()


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda path: path.mkdir(), "it is a folder"),
        (lambda path: path.write_text("x" * 5000), "is no record store: file is not a database"),
        (lambda path: make(path, "INSERT INTO t VALUES (1)"), "an SQLite file of something else"),
    ],
)
def test_what_is_no_store_is_refused_at_once(path, prepare, message):
    prepare(path)
    with pytest.raises(ConfigurationError, match=message):
        RecordStore(path)


def test_a_folder_that_is_not_there_is_refused_at_once(tmp_path):
    with pytest.raises(ConfigurationError, match="Make it first"):
        RecordStore(tmp_path / "gone" / "guardrail.db")


def test_a_newer_version_is_refused_and_left_alone(store, path, outcome):
    store.record(outcome())
    store.flush()
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version = 2")
    with pytest.raises(ConfigurationError, match="has version 2, written by a newer guardrail; this one reads up to 1"):
        RecordStore(path)
    with pytest.raises(ConfigurationError, match="newer"):
        store.worst()


@pytest.mark.parametrize("waits_before", ["SELECT", "PRAGMA application_id", "PRAGMA user_version"])
def test_a_file_that_another_process_is_making_is_ours(path, waits_before):
    class Slow(sqlite3.Connection):
        def execute(self, *given):
            if given[0].startswith(waits_before):
                database.open_to_write(path, 1.0).close()
            return super().execute(*given)

    path.write_bytes(b"")
    with closing(sqlite3.connect(path, factory=Slow)) as connection:
        assert database.version(connection, path) in (0, database.VERSION)


def test_a_file_that_was_only_just_made_is_no_error(path, outcome):
    path.touch()
    with RecordStore(path) as store:
        assert store.worst() == []
        store.record(outcome())
        assert store.flush()
        assert store.count() == 1


def test_a_file_on_a_read_only_disk_can_be_read(path, outcome):
    with RecordStore(path) as store:
        store.record(outcome(ident="one"))
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        if os.access(path.parent, os.W_OK):
            pytest.skip("root may write everything")
        with RecordStore(path) as store:
            assert [record.id for record in store.worst()] == ["one"]
            with pytest.raises(UsageError, match="cannot write"):
                store.label("one", "supported")
            store.record(outcome())
            assert not store.flush(0.1)
        assert store.counts == {"failed": 1}
        with pytest.raises(ConfigurationError, match="its folder is not writable"):
            RecordStore(path.with_name("other.db"))
        path.parent.chmod(0o400)
        with pytest.raises(ConfigurationError, match="Permission denied"):
            RecordStore(path)
    finally:
        path.parent.chmod(0o700)


def test_a_process_that_writes_before_the_file_has_a_log_of_its_own_is_waited_for(path):
    """SQLite waits where it writes, but not where it switches to WAL: processes that start at once met there."""
    database.open_to_write(path, 1.0).close()
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        assert other.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            database.open_to_write(path, 0.05)
        timer = threading.Timer(0.2, other.execute, ["COMMIT"])
        timer.start()
        with closing(database.open_to_write(path, 20.0)) as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        timer.join()
