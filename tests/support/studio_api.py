"""The API of a studio, as its page asks it."""

from __future__ import annotations

import time

import pytest

from guardrail.service.studio.app import create_app
from guardrail.service.studio.studio import Studio

TestClient = pytest.importorskip("starlette.testclient").TestClient


NOW = time.time()
"""When the recorded answers of the fixture ``store`` end."""

EXAMPLE = "Why was Larkmoor Dam closed in 2021?"


def opened(studio):
    """A client of a studio, for a fixture to yield or a loop of one turn."""
    app = create_app(studio)
    with TestClient(app, base_url="http://127.0.0.1", headers={"x-studio-token": app.state.token}) as found:
        yield found


def example(client, title=EXAMPLE):
    """What the page checks when one of its examples is chosen."""
    found = next(each for each in client.get("/api/examples").json()["examples"] if each["title"] == title)
    return {key: found[key] for key in ("question", "answer", "passages")}


def client_of(source):
    app = create_app(Studio(source))
    headers = {"x-studio-token": app.state.token}
    return TestClient(app, base_url="http://127.0.0.1:8322", headers=headers, raise_server_exceptions=False)


def asked(client, path, **query):
    reply = client.get(f"/api/{path}", params=query)
    assert reply.status_code == 200, reply.text
    return reply.json()
