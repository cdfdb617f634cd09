"""The API of a studio, as its page asks it."""

from __future__ import annotations

import pytest

from guardrail.service.studio.app import create_app
from guardrail.service.studio.studio import Studio

TestClient = pytest.importorskip("starlette.testclient").TestClient


def client_of(source):
    app = create_app(Studio(source))
    headers = {"x-studio-token": app.state.token}
    return TestClient(app, base_url="http://127.0.0.1:8322", headers=headers, raise_server_exceptions=False)


def asked(client, path, **query):
    reply = client.get(f"/api/{path}", params=query)
    assert reply.status_code == 200, reply.text
    return reply.json()
