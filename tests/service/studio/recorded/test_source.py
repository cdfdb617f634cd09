"""A record store as a source: only read, while others write to it."""

from __future__ import annotations

import threading
import time

import pytest

from guardrail.telemetry.records import RecordStore
from tests.support.recorded_answers import outcome, write_store
from tests.support.studio_api import asked, client_of

NOW = time.time()


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("api") / "guardrail.db"
    write_store(path, 600, now=NOW)
    return path


@pytest.fixture(scope="module")
def client(store):
    return client_of(store)


def test_an_answer_without_texts_says_so(tmp_path):
    def refuse(_):
        raise ValueError("no")

    with RecordStore(tmp_path / "guardrail.db", redact=refuse) as store:
        store.record(outcome("contradicted", id="1" * 32))
        store.flush()
    client = client_of(tmp_path / "guardrail.db")
    assert asked(client, "record", id="1" * 32)["missing"] == (
        "The store holds no texts of this answer (redact failed: ValueError)."
    )
    (listed,) = asked(client, "records")["records"]
    assert (listed["question"], listed["answer"], listed["fault"]["words"]) == (None, "", "")


def test_reading_holds_up_no_writer_and_sees_what_it_wrote(tmp_path):
    """A service records while the page asks: each record is written, and each question answered."""
    path, failed, done = tmp_path / "guardrail.db", [], threading.Event()
    write_store(path, 50, now=NOW)
    client = client_of(path)

    def ask():
        while not done.is_set():
            for question in ("records", "records/choices", "watch", "changes"):
                reply = client.get(f"/api/{question}")
                if reply.status_code != 200:
                    failed.append(reply.text)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        with RecordStore(path, sample=1.0) as store:
            for number in range(300):
                store.record(outcome("contradicted", id=f"{number:032x}", labels={"release": "v42"}))
            assert store.flush(60)
            assert store.counts == {"written": 300}
    finally:
        done.set()
        asking.join()
    assert not failed
    assert asked(client, "records/choices")["records"] == 350
    assert asked(client, "records", release="v42")["total"] == 300


def test_a_file_that_is_opened_is_not_changed(store, client):
    before = store.read_bytes()
    for question in ("records", "records/choices", "watch", "changes"):
        asked(client, question)
    assert store.read_bytes() == before
