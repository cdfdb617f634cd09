"""Bodies of requests, and work that ends when whoever asked has left."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from starlette.testclient import TestClient

from guardrail import Guard, Policy
from guardrail.service.studio.app import create_app
from guardrail.service.studio.studio import Studio
from tests.support.studios import Waiting


@pytest.fixture(scope="module")
def client():
    app = create_app(Studio())
    with TestClient(app, base_url="http://127.0.0.1", headers={"x-studio-token": app.state.token}) as found:
        yield found


def test_a_body_that_is_no_json_is_refused(client):
    reply = client.post("/api/check", content=b"{", headers={"content-type": "application/json"})
    assert reply.status_code == 400


def test_a_page_that_leaves_stops_the_engine(site_with):
    engine = Waiting()
    studio = Studio()
    studio.guard = lambda *_: Guard(policy=Policy.monitor().with_(deadline=None), engine=engine)
    with site_with(studio) as site:

        async def leave():
            async with httpx.AsyncClient() as web:
                body = {"answer": "A bridge opened.", "passages": ["x"]}
                asked = web.post(f"{site.origin}/api/check", json=body, headers=site.headers, timeout=None)
                task = asyncio.ensure_future(asked)
                await asyncio.to_thread(engine.began.wait)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

        asyncio.run(leave())
        assert engine.ended.wait(60)
