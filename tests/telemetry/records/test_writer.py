"""Whatever the disk does, ``record`` returns at once and raises nothing; what can be written later is."""

from __future__ import annotations

import logging
import threading
import time

import pytest

from guardrail.telemetry.records import RecordStore, disk, writer
from tests.support.disk_trouble import locked

pytestmark = [pytest.mark.clock, pytest.mark.usefixtures("impatient")]


def eventually(true, seconds=60.0):
    until = time.monotonic() + seconds
    while not true() and time.monotonic() < until:
        time.sleep(0.01)
    return true()


def record_all(store, outcomes):
    for one in outcomes:
        store.record(one)


def test_a_locked_file_costs_the_caller_nothing_and_loses_nothing(store, path, outcome, monkeypatch):
    store.record(outcome())
    assert store.flush()
    write, writers = disk.Disk.write, set()

    def noting(self, rows):
        writers.add(threading.current_thread())
        return write(self, rows)

    monkeypatch.setattr(disk.Disk, "write", noting)
    with locked(path):
        record_all(store, [outcome() for _ in range(500)])
        assert not store.flush(0.2)
        assert store.counts == {"written": 1}
    assert store.flush()
    assert store.counts == {"written": 501}
    assert store.count() == 501
    assert writers == {store._writer._thread}  # the caller's thread never waits for the lock


def test_what_was_recorded_is_on_disk_soon_after(path, outcome, monkeypatch):
    """A service that a signal ends has no more time than that: nobody has to ask for it, nor to wait for more."""
    monkeypatch.undo()  # the real waits
    with RecordStore(path) as store:
        for number in range(1, 9):
            store.record(outcome())
            assert eventually(lambda number=number: store.counts.get("written") == number)


def test_the_queue_is_bounded_and_what_does_not_fit_is_counted_and_logged_once(path, outcome, caplog):
    with RecordStore(path, queue=10) as store:
        store.record(outcome())
        store.flush()
        with locked(path), caplog.at_level(logging.WARNING):
            for _ in range(3):
                record_all(store, [outcome() for _ in range(100)])
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
            assert eventually(lambda: record_all(store, [outcome() for _ in range(20)]) or "dropped" in caplog.text)
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


def test_a_writer_that_fails_in_an_unknown_way_goes_on(store, outcome, monkeypatch, caplog):
    monkeypatch.setattr(store._writer, "_rows", lambda kept: 1 / 0)
    store.record(outcome())
    assert store.flush()
    monkeypatch.undo()
    store.record(outcome(ident="next"))
    assert store.flush()
    assert store.get("next")
    assert "ZeroDivisionError" in caplog.text


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
        closing = threading.Thread(target=store.close, args=(0.5,), daemon=True)
        closing.start()
        closing.join(120)
        assert not closing.is_alive()  # while the file is locked


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
        threads = [threading.Thread(target=record_all, args=(store, batch)) for batch in batches]
        for thread in threads:
            thread.start()
        readers = [len(store.worst(5)) for _ in range(5)]
        for thread in threads:
            thread.join()
        assert store.flush()
        assert store.count() == 800
        assert max(readers) <= 5
