"""A file that is locked, moved, deleted or damaged while the writer has it."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest

from guardrail.telemetry.records import RecordStore

pytestmark = pytest.mark.usefixtures("impatient")


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
