"""LiteLLM's calls about one answer: joined, incremental, counted once, across workers."""

import time

import httpx
import pytest

from guardrail.service.dialects import answers as answering
from guardrail.service.settings import CallSettings, RecordSettings
from guardrail.telemetry.records import RecordStore
from tests.support.dialect_server import RIGHT, SOURCE, WRONG, serving, settings

PATH = "/beta/litellm_basic_guardrail_api"
MESSAGES = [
    {"role": "system", "content": f"<context>{SOURCE}</context>"},
    {"role": "user", "content": "How high is it?"},
]


def asked(url, call="call-1", trace=None, params=None):
    body = {"input_type": "request", "texts": ["How high is it?"], "structured_messages": MESSAGES}
    body |= {"litellm_call_id": call, "litellm_trace_id": trace, "request_data": {}}
    return httpx.post(url + PATH, json=body | {"additional_provider_specific_params": params}).json()


def answered(url, *texts, call="call-1", trace=None, params=None):
    body = {"input_type": "response", "texts": list(texts), "litellm_call_id": call, "litellm_trace_id": trace}
    return httpx.post(
        url + PATH, json=body | {"request_data": {}, "additional_provider_specific_params": params}
    ).json()


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


def test_two_workers_share_what_a_request_brought(tmp_path):
    shared = CallSettings(path=tmp_path / "calls.db")
    with (
        serving(settings(tmp_path, calls=shared)) as (first, _),
        serving(settings(tmp_path, calls=shared)) as (second, _),
    ):
        assert asked(first, "call-2", "trace-2") == {"action": "NONE"}
        assert answered(second, RIGHT, call="call-2")["action"] == "NONE"
        assert answered(second, RIGHT, call="a retry", trace="trace-2")["action"] == "NONE"
        assert answered(second, RIGHT, call="stranger")["action"] == "BLOCKED"  # no passages: not verified


def test_passages_and_question_of_the_parameters_come_first(url):
    params = {"passages": [{"text": "Rita Halloway wrote a book.", "id": "b"}], "guard": "watch"}
    asked(url, "call-3", params=params)
    assert answered(url, RIGHT, call="call-3", params={"guard": "watch"})["action"] == "NONE"


def test_more_passages_than_the_limit(tmp_path):
    from guardrail.service.settings import Limits

    with serving(settings(tmp_path, limits=Limits(passages=2))) as (url, _):
        reply = answered(url, RIGHT, params={"passages": ["a", "b", "c"]})
    assert reply["error"]["code"] == "too_large"
