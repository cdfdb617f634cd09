"""The studio as an application."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from guardrail.service.studio.app import create_app
from guardrail.service.studio.studio import Studio


def test_every_run_has_its_own_token(site, site_with):
    with site_with(Studio()) as other:
        assert other.token != site.token
        assert len(other.token) >= 32


@pytest.fixture
def mounted() -> TestClient:
    """A studio inside an application that checks who asks."""
    inner = create_app(Studio(), checks_token=False)
    return TestClient(Starlette(routes=[Mount("/inside", inner)]), base_url="http://127.0.0.1")


def test_where_the_application_around_it_checks_who_asks_it_wants_no_token(mounted: TestClient) -> None:
    assert mounted.get("/inside/api/choices").json()["engines"] == ["local"]
    assert '<meta name="guardrail-key" content="service">' in mounted.get("/inside/").text
    assert mounted.get("/inside/api/choices", headers={"origin": "http://evil.example"}).status_code == 403


def test_all_views_are_there_and_nothing_else() -> None:
    app = create_app(Studio())
    web = TestClient(app, base_url="http://127.0.0.1", headers={"x-studio-token": app.state.token})
    for path in ("choices", "records", "watch", "label/people", "set"):
        assert web.get(f"/api/{path}").status_code in {200, 404}
        assert web.get(f"/api/{path}").json() != {"error": {"message": "There is nothing at this path.", "field": None}}
    gone = web.get("/api/nothing")
    assert (gone.status_code, gone.json()["error"]["message"]) == (404, "There is nothing at this path.")
    assert web.post("/api/choices", json={}).json()["error"]["message"] == "This path wants another method."


def test_a_slash_too_many_is_no_redirect_to_another_host() -> None:
    app = create_app(Studio())
    web = TestClient(app, base_url="http://127.0.0.1", headers={"x-studio-token": app.state.token})
    reply = web.get("/api/choices/", follow_redirects=False)
    assert (reply.status_code, "location" in reply.headers) == (404, False)
