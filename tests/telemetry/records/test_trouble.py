"""Whatever the disk does, ``record`` returns at once and raises nothing; what can be written later is."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import statistics
import threading
import time
from contextlib import closing, contextmanager

import pytest

from guardrail import ConfigurationError, UsageError
from guardrail.telemetry.records import RecordStore, database, writer

pytestmark = pytest.mark.usefixtures("impatient")


@contextmanager
def locked(path):
    """Another process writes and does not come to an end."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


def eventually(true, seconds=5.0):
    until = time.monotonic() + seconds
    while not true() and time.monotonic() < until:
        time.sleep(0.01)
    return true()


def recorded(store, outcomes):
    """Record them; microseconds that each call took."""
    took = []
    for one in outcomes:
        start = time.perf_counter_ns()
        store.record(one)
        took.append((time.perf_counter_ns() - start) / 1000)
    return took


def test_a_locked_file_costs_the_caller_nothing_and_loses_nothing(store, path, outcome):
    store.record(outcome())
    assert store.flush()
    with locked(path):
        took = recorded(store, [outcome() for _ in range(500)])
        assert not store.flush(0.2)
        assert statistics.median(took) < 50
        assert store.counts == {"written": 1}
    assert store.flush()
    assert store.counts == {"written": 501}
    assert store.count() == 501


def test_the_queue_is_bounded_and_what_does_not_fit_is_counted_and_logged_once(path, outcome, caplog):
    with RecordStore(path, queue=10) as store:
        store.record(outcome())
        store.flush()
        with locked(path), caplog.at_level(logging.WARNING):
            for _ in range(3):
                recorded(store, [outcome() for _ in range(100)])
                assert not store.flush(0.1)
            dropped = store.counts["dropped"]
            assert 300 - writer._BATCH - 15 <= dropped <= 290
            assert sum("dropped" in line for line in caplog.messages) <= 1
            assert sum("cannot be written" in line for line in caplog.messages) == 1
        assert store.flush()
        assert store.counts == {"written": 301 - dropped, "dropped": dropped}
        assert "written to" in caplog.messages[-1]
        assert "again" in caplog.messages[-1]


def test_drops_are_logged(path, outcome, caplog):
    with RecordStore(path, queue=1) as store:
        store.record(outcome())
        store.flush()
        with locked(path):
            assert eventually(lambda: not recorded(store, [outcome() for _ in range(20)]) or "dropped" in caplog.text)
    assert "records were dropped: the queue of 1 is full" in caplog.text


def test_after_a_while_records_are_given_up(store, path, outcome, monkeypatch):
    monkeypatch.setattr(writer, "_GIVE_UP_SECONDS", 0.2)
    store.record(outcome())
    store.flush()
    with locked(path):
        store.record(outcome(ident="lost"))
        assert store.flush()
        assert store.counts == {"written": 1, "failed": 1}
    store.record(outcome(ident="kept"))
    assert store.flush()
    assert store.get("kept")
    assert not store.get("lost")


def test_old_records_that_cannot_be_deleted_leave_new_ones_their_time(path, outcome, monkeypatch):
    monkeypatch.setattr(writer, "_GIVE_UP_SECONDS", 0.5)
    with RecordStore(path, days=1) as store:
        store.record(outcome())
        store.flush()
        store._writer._disk._next_prune = 0.0
        with locked(path):
            store.flush()  # the thread wakes and prunes
        time.sleep(0.6)
        with locked(path):
            store.record(outcome(ident="kept"))
            assert not store.flush(0.2)
        assert store.flush()
        assert store.get("kept")


def test_a_deleted_file_is_begun_anew(store, path, outcome):
    store.record(outcome())
    store.flush()
    for file in path.parent.iterdir():
        file.unlink()
    store.record(outcome(ident="new"))
    assert store.flush()
    assert [record.id for record in store.records()] == ["new"]


def test_a_deleted_folder_is_waited_for(tmp_path, outcome):
    folder = tmp_path / "here"
    folder.mkdir()
    with RecordStore(folder / "guardrail.db") as store:
        store.record(outcome())
        store.flush()
        shutil.rmtree(folder)
        store.record(outcome(ident="late"))
        assert not store.flush(0.1)
        folder.mkdir()
        assert store.flush()
        assert store.get("late")


def test_a_file_that_may_not_be_written_is_waited_for(store, path, outcome, monkeypatch):
    """Root may write everything, so a read-only connection stands for a read-only disk."""
    from guardrail.telemetry.records import disk

    made = disk.open_to_write

    def read_only(path, patience):
        connection = made(path, patience)
        connection.execute("PRAGMA query_only = ON")
        return connection

    monkeypatch.setattr(disk, "open_to_write", read_only)
    store.record(outcome())
    assert not store.flush(0.2)
    monkeypatch.setattr(disk, "open_to_write", made)
    assert store.flush()
    assert store.counts == {"written": 1}


def test_a_damaged_file_is_moved_aside(store, path, outcome, caplog):
    for _ in range(50):
        store.record(outcome())
    store.flush()
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    with path.open("r+b") as file:
        file.write(b"\xff" * 8192)
    for n in range(20):
        store.record(outcome(ident=f"after {n}"))
    assert store.flush()
    assert store.counts["written"] == 70
    assert store.get("after 19")
    assert path.with_name("guardrail.db.damaged").exists()
    assert "damaged" in caplog.text


def test_one_record_that_no_file_can_hold_does_not_take_others_with_it(store, outcome):
    store.record(outcome(ident="a"))
    store.record(outcome(score=float("nan")))
    store.record(outcome(labels=7))
    store.record(object())
    store.record(outcome(at="soon", seconds=object()))
    store.record(outcome(ident="b"))
    assert store.flush()
    assert {record.id for record in store.records()} == {"a", "b"}
    assert store.counts == {"written": 2, "failed": 4}


def test_a_writer_that_fails_in_an_unknown_way_goes_on(store, outcome, monkeypatch, caplog):
    monkeypatch.setattr(store._writer, "_rows", lambda kept: 1 / 0)
    store.record(outcome())
    assert store.flush()
    monkeypatch.undo()
    store.record(outcome(ident="next"))
    assert store.flush()
    assert store.get("next")
    assert "ZeroDivisionError" in caplog.text


def test_a_closed_store_drops_what_comes_and_can_be_read(store, outcome):
    store.record(outcome(ident="before"))
    assert store.close()
    store.record(outcome(ident="after"))
    assert store.flush()
    assert store.close()
    assert store.get("before")
    assert store.counts == {"written": 1, "dropped": 1}


def test_closing_writes_what_is_there_and_does_not_wait_for_ever(path, outcome):
    with RecordStore(path) as store:
        for _ in range(200):
            store.record(outcome())
    assert store.counts == {"written": 200}
    store = RecordStore(path)
    store.record(outcome())
    store.flush()
    with locked(path):
        store.record(outcome())
        start = time.monotonic()
        store.close(0.5)
        assert time.monotonic() - start < 2


def test_a_store_that_is_forgotten_ends_its_thread(path, outcome):
    store = RecordStore(path)
    store.record(outcome())
    thread = store._writer._thread
    assert thread.is_alive()
    del store
    assert eventually(lambda: not thread.is_alive())
    assert RecordStore(path).count() == 1


def test_many_threads_lose_nothing(path, outcome):
    with RecordStore(path, queue=2000) as store:
        batches = [[outcome() for _ in range(100)] for _ in range(8)]
        threads = [threading.Thread(target=recorded, args=(store, batch)) for batch in batches]
        for thread in threads:
            thread.start()
        readers = [len(store.worst(5)) for _ in range(5)]
        for thread in threads:
            thread.join()
        assert store.flush()
        assert store.count() == 800
        assert max(readers) <= 5


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


def test_reading_while_somebody_writes_and_labelling_then(store, path, outcome, monkeypatch):
    monkeypatch.setattr("guardrail.telemetry.records.database._PATIENCE", 0.05)
    store.record(outcome(ident="one"))
    store.flush()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert store.count() == 1
        with pytest.raises(UsageError, match=r"cannot write .*: database is locked"):
            store.label("one", "supported")
    assert store.label("one", "supported").label == "supported"


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
