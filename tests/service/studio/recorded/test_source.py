"""A record store as a source: only read, while others write to it."""

from __future__ import annotations

import threading
from pathlib import Path

from guardrail.service.studio.recorded.source import REDACTED, StoreSource
from guardrail.telemetry.records import RecordStore
from tests.support.recorded_answers import outcome, write_store
from tests.support.studio_api import NOW, asked, client_of


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


def test_records_are_read_in_the_order_asked_for_without_those_that_are_gone(kept) -> None:
    source = kept(("supported", {}), ("contradicted", {"question": 1}), ("supported", {"question": 2}))
    with source.open() as connection:
        found = list(source.read(connection, [3, 99, 1]))
        assert [number for number, _ in found] == [3, 1]
        assert [int(record["id"], 16) for _, record in found] == [3, 1]
        assert source.find(connection, f"{2:032x}")["verdict"] == "contradicted"
        assert source.find(connection, "f" * 32) is None


def test_what_may_hold_a_word_is_told_whatever_the_case(kept) -> None:
    source = kept(*(("supported", {"question": number}) for number in range(5)))
    with source.open() as connection:
        assert list(source.holding(connection, range(1, 6), "rechnung")) == [3, 4]
        assert list(source.holding(connection, [4, 99], "zahlung")) == [4]
        assert list(source.holding(connection, range(1, 6), "nowhere")) == []


def test_redacted_texts_of_another_length_say_that_marks_may_be_off(tmp_path: Path) -> None:
    for name, redact, missing in (
        ("shorter", lambda text: text.replace("Larkmoor", "X"), REDACTED),
        ("same", lambda text: text.replace("Larkmoor", "XXXXXXXX"), None),
    ):
        with RecordStore(tmp_path / f"{name}.db", redact=redact) as store:
            store.record(outcome("contradicted", id="1" * 32))
            store.flush()
        source = StoreSource(tmp_path / f"{name}.db")
        with source.open() as connection:
            assert source.find(connection, "1" * 32)["missing"] == missing
