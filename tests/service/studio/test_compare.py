"""The API of Compare, over a real application."""

from __future__ import annotations

import time

import pytest

from tests.support.studio_api import asked


def followed(client, body):
    began = client.post("/api/compare", json=body)
    assert began.status_code == 200, began.text
    while (state := asked(client, f"compare/{began.json()['id']}"))["state"] == "running":
        time.sleep(0.01)
    return state


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


def test_a_comparison_that_is_gone_is_said(client):
    reply = client.get("/api/compare/none")
    assert (reply.status_code, reply.json()["error"]["field"]) == (404, "id")
    assert reply.json()["error"]["message"] == "This comparison is gone. Begin a new one."
