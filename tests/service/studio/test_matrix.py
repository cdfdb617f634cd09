"""The support matrix of one check."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from guardrail.service.studio.app import create_app
from guardrail.service.studio.studio import Studio

EXAMPLE = "Why was Larkmoor Dam closed in 2021?"


@pytest.fixture(scope="module")
def client():
    app = create_app(Studio())
    with TestClient(app, base_url="http://127.0.0.1", headers={"x-studio-token": app.state.token}) as found:
        yield found


def example(client, title=EXAMPLE):
    found = next(each for each in client.get("/api/examples").json()["examples"] if each["title"] == title)
    return {key: found[key] for key in ("question", "answer", "passages")}


def test_the_matrix_has_a_row_for_each_finding(client):
    got = client.post("/api/check", json=example(client)).json()
    assert [row["segment_id"] for row in got["matrix"]["rows"]] == [found["id"] for found in got["findings"]]
    for row, found in zip(got["matrix"]["rows"], got["findings"], strict=True):
        read = {got["passages"][number]["id"] for number, _, _ in row["cells"]}
        assert {quote["passage_id"] for quote in found["evidence"]} <= read


def test_the_reversed_cause_is_a_relation_that_the_passages_do_not_license(client):
    (relation,) = client.post("/api/check", json=example(client)).json()["relations"]
    assert relation["kind"] == "cause"
    assert relation["consistent"] is False
    assert relation["first"].startswith("engineers")
