"""An answer that grows: read incrementally, and counted once, after a silence or at the end of the service."""

from __future__ import annotations

import time

import pytest

from guardrail.service.dialects import answers as answering
from guardrail.service.settings import RecordSettings
from guardrail.telemetry.records import RecordStore
from tests.support.dialect_server import RIGHT, WRONG, serving, settings
from tests.support.litellm_calls import answered, asked


@pytest.fixture(autouse=True)
def long_silence(monkeypatch):
    """Answers are counted when the service ends, however slow the machine is."""
    monkeypatch.setattr(answering.Answers.__init__, "__defaults__", (3600.0,))


def test_a_stream_is_read_incrementally_and_counted_once(tmp_path):
    text = f"{RIGHT} {WRONG} The road on top of it is closed to all traffic in winter."
    with serving(settings(tmp_path, records=RecordSettings(path=tmp_path / "r.db", sample=1))) as (url, app):
        asked(url, "s1")
        engine = app.state.service.guard("redact").judge
        engine.calls.clear()
        for end in (30, 45, 60, 80, 100, len(text)):
            reply = answered(url, text[:end], call="s1", params={"guard": "redact"})
        assert reply["texts"] == [f"{RIGHT} The road on top of it is closed to all traffic in winter."]
    whole = [s.text for c in engine.calls for s in c.segments if s.text.endswith(".") and s.text in text]
    assert len(whole) == len(set(whole)) == 3
    (record,) = RecordStore(tmp_path / "r.db").records()
    assert (record.answer, record.action) == (text, "redact")


def test_an_answer_is_counted_after_a_silence(tmp_path, monkeypatch):
    monkeypatch.setattr(answering.Answers.__init__, "__defaults__", (0.0,))
    with serving(settings(tmp_path, records=RecordSettings(path=tmp_path / "r.db", sample=1))) as (url, app):
        asked(url)
        answered(url, RIGHT)
        app.state.service.records.flush(60)
        store = RecordStore(tmp_path / "r.db")
        while not (store.path.exists() and store.count()):
            time.sleep(0.02)  # it comes, or the test's runner stops it


def test_what_is_silent_at_the_end_is_counted(tmp_path):
    with serving(settings(tmp_path, records=RecordSettings(path=tmp_path / "r.db", sample=1))) as (url, _):
        asked(url)
        answered(url, RIGHT)
    assert RecordStore(tmp_path / "r.db").count() == 1
