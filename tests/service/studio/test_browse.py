"""The API of Browse, over a real application."""

from __future__ import annotations

import pytest

from guardrail.telemetry.records import RecordStore
from tests.support.recorded_answers import write_answers, write_store
from tests.support.studio_api import NOW, asked, client_of


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
    ],
)
def test_what_is_not_understood_is_refused_by_name(client, path, query, status, field):
    reply = client.get(f"/api/{path}", params=query)
    assert (reply.status_code, reply.json()["error"]["field"]) == (status, field)
    assert reply.json()["error"]["message"].endswith(".")


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
