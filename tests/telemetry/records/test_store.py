"""The record store as a whole."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from guardrail import (
    ConfigurationError,
    ErrorType,
    UsageError,
)
from guardrail.telemetry.records import RecordStore

pytestmark = pytest.mark.usefixtures("impatient")


def test_an_outcome_that_comes_twice_is_one_record(store, outcome):
    given = outcome()
    store.record(given)
    store.record(given)
    store.flush()
    assert store.count() == 1
    assert store.counts == {"written": 1}


def test_a_store_that_nothing_was_recorded_to_is_empty_and_makes_no_file(path):
    store = RecordStore(path)
    assert store.worst() == []
    assert store.get("abcdef") is None
    assert (store.count(), store.stats().records, store.prune()) == (0, 0, 0)
    assert store.flush()
    assert store.close()
    assert not path.exists()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sample": 1.5}, "sample must be within 0..1, got 1.5"),
        ({"sample": True}, "sample"),
        ({"days": 0}, "days must be positive or None"),
        ({"max_records": 0}, "max_records must be"),
        ({"max_records": 1.5}, "max_records"),
        ({"queue": None}, "queue"),
        ({"redact": "x"}, "redact must be a function"),
    ],
)
def test_options_out_of_range_are_refused(path, wrong, message):
    with pytest.raises(ConfigurationError, match=message):
        RecordStore(path, **wrong)


def test_searches_use_their_index(store, outcome):
    store.record(outcome(error_type=ErrorType.CONFLATION))
    store.flush()
    with closing(sqlite3.connect(store.path)) as connection:
        plan = connection.execute("EXPLAIN QUERY PLAN SELECT number FROM records WHERE at < 1 LIMIT 9").fetchall()
    assert "records_by_time" in str(plan)


def test_a_closed_store_drops_what_comes_and_can_be_read(store, outcome):
    store.record(outcome(ident="before"))
    assert store.close()
    store.record(outcome(ident="after"))
    assert store.flush()
    assert store.close()
    assert store.get("before")
    assert store.counts == {"written": 1, "dropped": 1}


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
