"""The application: its routes together, and as a part of another one."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from guardrail.errors import ConfigurationError
from guardrail.service import Settings, create_app
from tests.support.services import ENGINES, RIVER


def test_a_wrong_method(plain):
    reply = plain.get("/v1/check")
    assert (reply.status_code, reply.json()["error"]["code"]) == (405, "wrong_method")


def test_a_websocket_is_refused(plain):
    headers = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    assert plain.get("/v1/check", headers=headers).status_code in {400, 405}


def test_what_is_nowhere_is_said_with_the_way_to_what_there_is(plain):
    reply = plain.get("/nowhere")
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found")
    assert "/openapi.json" in reply.json()["error"]["message"]


def test_mounted_into_another_application_it_answers_below_its_path() -> None:
    app = create_app(Settings(guards={"default": {"engine": ENGINES + "fake"}}))
    outer = Starlette(routes=[Mount("/inside", app)])

    async def main() -> list[int]:
        async with app.router.lifespan_context(app):
            web = httpx.AsyncClient(transport=httpx.ASGITransport(outer), base_url="http://127.0.0.1")
            async with web:
                checked = await web.post("/inside/v1/check", json=RIVER)
                assert checked.json()["verdict"] == "supported"
                alive, outside = await web.get("/inside/healthz"), await web.post("/v1/check", json=RIVER)
                return [checked.status_code, alive.status_code, outside.status_code]

    assert asyncio.run(main()) == [200, 200, 404]


def test_a_guard_that_cannot_be_is_refused_when_the_application_is_made() -> None:
    with pytest.raises(ConfigurationError, match=r"guards\.default: engine python:.*broken: RuntimeError"):
        create_app(Settings(guards={"default": {"engine": ENGINES + "broken"}}))
