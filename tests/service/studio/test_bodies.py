"""Bodies of requests, and work that ends when whoever asked has left."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from guardrail import Guard, Policy
from guardrail.service.studio.app import create_app
from guardrail.service.studio.bodies import read_object, unless_left
from guardrail.service.studio.errors import StudioError
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


def asking(*messages: dict[str, object]) -> Request:
    """A request of which these messages come, and then none for ever."""
    left = list(messages)

    async def receive() -> dict[str, object]:
        if left:
            return left.pop(0)
        await asyncio.Event().wait()
        return {}

    return Request({"type": "http", "method": "POST", "headers": []}, receive)


@pytest.mark.parametrize("body", [b"", b"[]", b"3", b"null", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(StudioError, match="Send one JSON object") as refused:
        asyncio.run(read_object(asking({"type": "http.request", "body": body, "more_body": False})))
    assert refused.value.status == 400


def test_an_object_is_read() -> None:
    body = {"type": "http.request", "body": b'{"a": [1]}', "more_body": False}
    assert asyncio.run(read_object(asking(body))) == {"a": [1]}


def test_work_is_done_while_the_page_waits_and_its_errors_are_its_own() -> None:
    async def work(result: object) -> object:
        await asyncio.sleep(0)
        if isinstance(result, Exception):
            raise result
        return result

    assert asyncio.run(unless_left(asking(), work("done"))) == "done"
    with pytest.raises(LookupError, match="gone"):
        asyncio.run(unless_left(asking(), work(LookupError("gone"))))


def test_work_that_nobody_waits_for_is_cancelled_before_it_is_said() -> None:
    ended = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    with pytest.raises(StudioError, match="Stopped") as refused:
        asyncio.run(unless_left(asking({"type": "http.disconnect"}), work()))
    assert (refused.value.status, ended) == (499, [True])
