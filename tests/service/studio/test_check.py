"""The Check view's API."""

import asyncio
import json

import httpx
import pytest

from guardrail import Guard, Policy
from guardrail.service.studio.check import CheckBody, checked
from guardrail.service.studio.studio import Studio
from guardrail.types import Verdict
from tests.support.studio_api import example, opened
from tests.support.studios import Waiting


@pytest.fixture(scope="module")
def client():
    yield from opened(Studio())


def test_a_check_says_what_the_guard_says(client):
    asked = example(client)
    got = client.post("/api/check", json={**asked, "policy": "annotate"}).json()
    guarded = Guard(policy=Policy.annotate().with_(deadline=None)).run(
        asked["answer"], asked["passages"], question=asked["question"]
    )
    expected = json.loads(json.dumps(guarded.to_dict(texts=True)))
    assert {key: got[key] for key in expected if key != "usage"} == {k: v for k, v in expected.items() if k != "usage"}
    assert got["passages"] == asked["passages"]
    assert got["answer"] == asked["answer"]


def test_namesakes_are_told_apart(client):
    got = client.post("/api/check", json=example(client, "Who was Dick Hanley?")).json()
    (group,) = got["groups"]
    assert group["entity"]["title"] == "Dick Hanley (American football)"
    assert group["entity"]["passages"] == ["d2"]


def test_every_example_has_something_to_see(client):
    examples = client.get("/api/examples").json()["examples"]
    assert {each["language"] for each in examples} == {"English", "中文"}
    verdicts = [
        client.post("/api/check", json=example(client, each["title"])).json()["verdict"]
        for each in examples
        if each["language"] == "中文"
    ]
    assert verdicts == ["contradicted", "contradicted"]


def test_without_passages_nothing_is_verified(client):
    got = client.post("/api/check", json={"answer": "The bridge opened in 1932.", "passages": []}).json()
    assert got["verdict"] == "unverified"
    assert got["matrix"] == {"rows": []}


@pytest.mark.parametrize(
    ("body", "field", "said"),
    [
        ({"passages": []}, "answer", "missing"),
        ({"answer": " ", "passages": []}, "answer", "no answer"),
        ({"answer": "A b.", "passages": [{"text": 1}]}, "passages.0.text", "string"),
        ({"answer": "A b.", "passages": ["x"], "policy": "/etc/passwd"}, "policy", "there is no"),
        ({"answer": "A b.", "passages": ["x"], "engine": "nli:/etc"}, "engine", "there is no"),
        ({"answer": "A b.", "passages": ["x"] * 5_001}, "passages", "5000"),
        ({"answer": "A b.", "passages": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]}, None, "'a'"),
    ],
)
def test_what_cannot_be_checked_is_said(client, body, field, said):
    reply = client.post("/api/check", json=body)
    assert reply.status_code == 422
    assert reply.json()["error"]["field"] == field
    assert said in reply.json()["error"]["message"]


def test_a_check_that_nobody_waits_for_stops_its_engine():
    engine = Waiting()

    async def leave():
        guard = Guard(policy=Policy.monitor().with_(deadline=None), engine=engine)
        task = asyncio.ensure_future(checked(Studio(), guard, CheckBody(answer="A bridge opened.", passages=["x"])))
        await asyncio.to_thread(engine.began.wait)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return await asyncio.to_thread(engine.ended.wait, 60)

    assert asyncio.run(leave())


def test_an_engine_that_fails_is_unverified(site_with):
    class Broken:
        name = "broken"

        def verify(self, request):
            raise RuntimeError("secret of the engine")

    studio = Studio()
    studio.guard = lambda *_: Guard(engine=Broken())
    with site_with(studio) as site:
        reply = httpx.post(
            f"{site.origin}/api/check", json={"answer": "A bridge opened.", "passages": ["x"]}, headers=site.headers
        )
    assert reply.json()["verdict"] == Verdict.UNVERIFIED
    assert "secret" not in reply.text
