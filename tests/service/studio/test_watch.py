"""The API of Watch, over a real application."""

from __future__ import annotations

import time

import pytest

from tests.support.recorded_answers import write_store
from tests.support.studio_api import client_of

NOW = time.time()


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("api") / "guardrail.db"
    write_store(path, 600, now=NOW)
    return path


@pytest.fixture(scope="module")
def client(store):
    return client_of(store)


@pytest.mark.parametrize(
    ("path", "query", "status", "field"),
    [("watch", {"by": "labels"}, 422, "by"), ("watch", {"by": "x') --"}, 422, "by")],
)
def test_what_is_not_understood_is_refused_by_name(client, path, query, status, field):
    reply = client.get(f"/api/{path}", params=query)
    assert (reply.status_code, reply.json()["error"]["field"]) == (status, field)
    assert reply.json()["error"]["message"].endswith(".")
