"""The API of Browse, Watch and Compare, over a real application."""

from __future__ import annotations

import json
import threading
import time

import pytest

from guardrail.service.studio.app import create_app
from guardrail.service.studio.studio import Studio
from guardrail.telemetry.records import RecordStore
from tests.support.recorded_answers import outcome, write_answers, write_store

TestClient = pytest.importorskip("starlette.testclient").TestClient
NOW = time.time()


def client_of(source):
    app = create_app(Studio(source))
    headers = {"x-studio-token": app.state.token}
    return TestClient(app, base_url="http://127.0.0.1:8322", headers=headers, raise_server_exceptions=False)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("api") / "guardrail.db"
    write_store(path, 600, now=NOW)
    return path


@pytest.fixture(scope="module")
def client(store):
    return client_of(store)


def asked(client, path, **query):
    reply = client.get(f"/api/{path}", params=query)
    assert reply.status_code == 200, reply.text
    return reply.json()


def followed(client, body):
    began = client.post("/api/compare", json=body)
    assert began.status_code == 200, began.text
    while (state := asked(client, f"compare/{began.json()['id']}"))["state"] == "running":
        time.sleep(0.01)
    return state


def test_a_list_its_next_page_and_one_of_its_answers(client):
    first = asked(client, "records", limit="20", verdict="contradicted")
    second = asked(client, "records", limit="20", verdict="contradicted", after=first["after"])
    assert first["total"] > 40
    assert second["total"] is None
    assert not {r["id"] for r in first["records"]} & {r["id"] for r in second["records"]}
    record = asked(client, "record", id=first["records"][0]["id"])
    assert record["passages"][0]["text"]
    assert record["trace_id"] == first["records"][0]["trace_id"]
    assert record["missing"] is None


@pytest.mark.parametrize(
    ("path", "query", "status", "field"),
    [
        ("records", {"verdict": "bad"}, 422, "verdict"),
        ("records", {"order": "oldest"}, 422, "order"),
        ("records", {"limit": "1000"}, 422, "limit"),
        ("records", {"limit": "²"}, 422, "limit"),
        ("records", {"after": "x"}, 422, "after"),
        ("records/choices", {"since": "x"}, 422, "since"),
        ("record", {"id": "f" * 32}, 404, "id"),
        ("record", {}, 404, "id"),
        ("changes", {"by": "colour"}, 422, "by"),
        ("changes", {"by": "release", "first": "v40", "second": "v40"}, 422, "second"),
        ("watch", {"by": "labels"}, 422, "by"),
        ("watch", {"by": "x') --"}, 422, "by"),
        ("compare/none", {}, 404, "id"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(client, path, query, status, field):
    reply = client.get(f"/api/{path}", params=query)
    assert (reply.status_code, reply.json()["error"]["field"]) == (status, field)
    assert reply.json()["error"]["message"].endswith(".")


def test_without_a_source_each_view_says_how_to_give_one():
    client = client_of(None)
    for path in ("records", "records/choices", "record", "changes", "watch"):
        reply = client.get(f"/api/{path}", params={"id": "x"})
        assert (reply.status_code, reply.json()["error"]["field"]) == (404, "source")
        assert "guardrail studio guardrail.db" in reply.json()["error"]["message"]


def test_changes_begin_with_the_newest_two(client):
    found = asked(client, "changes", topic="billing")
    assert (found["first"], found["second"]) == ("v40", "v41")
    assert found["whole"]["unfaithful"]["value"] > 0
    assert {s["key"] for s in found["slices"]} == {"topic", "retriever", "application", "policy", "engine"}
    one = asked(client, "changes", by="application")
    assert (one["whole"], one["slices"], [v["value"] for v in one["values"]]) == (None, [], ["support"])


def test_choices_are_counted_anew_once_there_is_another_record(tmp_path):
    path = tmp_path / "guardrail.db"
    write_store(path, 20, now=NOW)
    client = client_of(path)
    assert asked(client, "records/choices")["records"] == 20
    write_store(path, 5, now=NOW, seed=1)
    found = asked(client, "records/choices")
    assert found["records"] == 25
    ident = asked(client, "records")["records"][0]["id"]
    RecordStore(path).label(ident, "contradicted")
    assert asked(client, "records/choices")["labelled"] == 1
    assert asked(client, "record", id=ident)["label"] == "contradicted"


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


def test_an_answer_of_a_file_is_checked_on_demand(tmp_path, client, store):
    write_answers(tmp_path / "answers.jsonl", 3)
    other = client_of(tmp_path / "answers.jsonl")
    before = asked(other, "record", id="a0")
    assert before["verdict"] == "unchecked"
    after = other.post("/api/record/check", json={"id": "a0", "policy": "strict", "engine": "local"}).json()
    assert after["verdict"] != "unchecked"
    assert asked(other, "record", id="a0") == after
    assert asked(other, "records/choices")["values"]["verdict"] == [["unchecked", 2], [after["verdict"], 1]]
    ident = asked(client, "records")["records"][0]["id"]
    refused = client.post("/api/record/check", json={"id": ident})
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "id")


def test_numbers_that_are_none_do_not_break_the_reply(tmp_path):
    row = {"id": "a", "answer": "x", "passages": ["x"], "verdict": "supported", "score": float("nan"),
           "findings": [], "scores": {"factscore": float("inf")}}  # fmt: skip
    (tmp_path / "r.jsonl").write_text(json.dumps(row))
    assert asked(client_of(tmp_path / "r.jsonl"), "record", id="a")["scores"] == {"factscore": None}


def test_a_comparison_from_its_beginning_to_one_of_its_answers(client):
    sides = [{"recorded": True}, {"engine": "local", "policy": "strict"}, {"engine": "local", "policy": "monitor"}]
    state = followed(client, {"sides": sides, "limit": 6, "order": "worst", "filters": {"topic": "places"}})
    assert (state["state"], state["done"], state["total"], state["n"]) == ("done", 6, 6, 6)
    assert state["names"] == ["as recorded", "local · strict", "local · monitor"]
    assert [side["unfaithful"]["n"] + side["left_out"] for side in state["sides"]] == [6, 6, 6]
    assert len(state["pairs"]) == 6
    assert all(row["opinions"][0]["labels"]["topic"] == "places" for row in state["rows"])
    one = asked(client, f"compare/{state['id']}/answers/{state['rows'][0]['number']}")
    assert [opinion["policy"] for opinion in one["opinions"]] == ["monitor", "strict", "monitor"]
    assert client.get(f"/api/compare/{state['id']}/answers/99").status_code == 404


def test_releases_are_compared_by_question(client):
    state = followed(client, {"by": "release", "values": ["v40", "v41"]})
    assert (state["state"], state["same"], state["n"]) == ("done", "questions", 5)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "sides"),
        ({"sides": [{"recorded": True}]}, "sides"),
        ({"sides": [{"recorded": True}] * 2}, "sides"),
        ({"sides": [{"recorded": True}] * 5}, "sides"),
        ({"sides": ["local", "local"]}, "sides"),
        ({"sides": [{"recorded": True}, {"engine": "local"}]}, "sides"),
        ({"sides": [{"recorded": True}, {"engine": "local", "policy": "strict"}], "limit": 501}, "limit"),
        ({"sides": [{"recorded": True}, {"engine": "local", "policy": "strict"}], "limit": True}, "limit"),
        ({"sides": [{"recorded": True}, {"engine": "local", "policy": "strict"}], "order": "x"}, "order"),
        ({"sides": [{"recorded": True}, {"engine": "local", "policy": "strict"}], "filters": {"text": "a"}}, "text"),
        ({"sides": [{"recorded": True}, {"engine": "local", "policy": "strict"}], "filters": ["a"]}, "filters"),
        ({"by": "colour", "values": ["a", "b"]}, "by"),
        ({"by": "release", "values": ["a", "a"]}, "values"),
        ({"by": "release", "values": "ab"}, "values"),
        ({"by": "release", "values": ["a", {}]}, "values"),
    ],
)
def test_a_comparison_of_nothing_is_refused_by_name(client, body, field):
    reply = client.post("/api/compare", json=body)
    assert (reply.status_code, reply.json()["error"]["field"]) == (422, field)


def test_an_engine_or_policy_that_the_studio_does_not_have_is_refused(client):
    for side in ({"engine": "local", "policy": "/etc/passwd"}, {"engine": "llm:x", "policy": "strict"}):
        reply = client.post("/api/compare", json={"sides": [{"recorded": True}, side]})
        assert reply.status_code == 422
        assert "there is no" in reply.json()["error"]["message"]


def test_a_comparison_is_stopped_when_asked(client):
    sides = [{"recorded": True}, {"engine": "local", "policy": "strict"}]
    ident = client.post("/api/compare", json={"sides": sides, "limit": 500}).json()["id"]
    assert client.post(f"/api/compare/{ident}/stop", json={}).status_code == 200
    while (state := asked(client, f"compare/{ident}"))["state"] == "running":
        time.sleep(0.01)
    assert state["state"] == "stopped"
    assert state["done"] < 500


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
