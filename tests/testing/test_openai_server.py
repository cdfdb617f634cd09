"""The scripted server through real clients: the protocol, the books it keeps, its faults, and what it leaves behind."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import httpx
import openai
import pytest

from guardrail import UsageError
from guardrail.testing import OpenAIServer, Reply


def body(text="Say hello.", **more):
    return {"model": "scripted", "messages": [{"role": "user", "content": text}], **more}


def echo(request):
    return request["messages"][-1]["content"]


def client(server, **options):
    return openai.OpenAI(base_url=server.base_url, api_key="sk-secret", max_retries=0, **options)


def post(server, request, **options):
    return httpx.post(f"{server.base_url}/chat/completions", json=request, **options)


def test_the_openai_client_gets_what_the_script_says():
    """Text, finish reason, usage and the request as it was asked; never the key."""
    with OpenAIServer(lambda request: Reply(echo(request).upper(), finish_reason="length")) as server:
        with client(server) as model:
            said = model.chat.completions.create(**body(temperature=0))
            assert [m.id for m in model.models.list()] == ["scripted"]
        assert (said.choices[0].message.content, said.choices[0].finish_reason) == ("SAY HELLO.", "length")
        assert (said.usage.prompt_tokens, said.usage.completion_tokens) == (3, 3)
        [call] = server.calls
    assert call.body == body(temperature=0)
    assert (call.number, call.path, call.status, call.fault, call.tokens) == (1, "/v1/chat/completions", 200, None, 3)
    assert "sk-secret" not in repr(call)
    assert call.headers["content-type"] == "application/json"


def test_the_async_client_is_served_at_once():
    """Twenty requests with one latency between them: one round."""

    async def ask(server):
        async with openai.AsyncOpenAI(base_url=server.base_url, api_key="k", max_retries=0) as model:
            asked = (model.chat.completions.create(**body(str(n))) for n in range(20))
            return [said.choices[0].message.content for said in await asyncio.gather(*asked)]

    with OpenAIServer(echo, seconds=1.0) as server:
        assert asyncio.run(ask(server)) == [str(n) for n in range(20)]
        assert (server.call_count, server.rounds) == (20, 1)
        assert server.most_at_once > 1
        assert min(call.seconds for call in server.calls) >= 1.0


def test_calls_tokens_and_rounds_are_counted():
    """Two rounds of two and three calls, over a client that keeps its connections."""
    with OpenAIServer(echo, seconds=1.0) as server, httpx.Client() as kept, ThreadPoolExecutor(3) as pool:
        for texts in (["abcd", "abcde"], ["水", "x" * 400, ""]):
            replies = pool.map(lambda t: kept.post(f"{server.base_url}/chat/completions", json=body(t)), texts)
            assert [r.json()["choices"][0]["message"]["content"] for r in replies] == texts
        assert (server.call_count, server.rounds, server.tokens) == (5, 2, 1 + 2 + 1 + 100 + 0)
        server.reset()
        assert (server.call_count, server.rounds, server.tokens, server.calls) == (0, 0, 0, ())


def test_errors_reach_the_client_as_its_own():
    """Status, Retry-After, and a connection that ends in two places."""
    replies = {
        "429": Reply("slow down", status=429, retry_after=1.5),
        "500": Reply("oops", status=500),
        "529": Reply("overloaded", status=529),  # not of the standard, and yet in use
        "headers": Reply("x" * 100, cut="headers"),
        "body": Reply("x" * 100, cut="body"),
    }
    with OpenAIServer(lambda request: replies[echo(request)]) as server, client(server) as model:
        with pytest.raises(openai.RateLimitError, match="slow down") as limited:
            model.chat.completions.create(**body("429"))
        assert limited.value.response.headers["retry-after"] == "1.5"
        for status in ("500", "529"):
            with pytest.raises(openai.InternalServerError):
                model.chat.completions.create(**body(status))
        for where in ("headers", "body"):
            with pytest.raises(openai.APIConnectionError):
                model.chat.completions.create(**body(where))
            with pytest.raises(httpx.RemoteProtocolError, match="without sending complete"):
                post(server, body(where))
        assert [call.status for call in server.calls] == [429, 500, 529, 200, 200, 200, 200]


def test_old_endpoints_can_be_played():
    """Formats and parameters that are not known, keys that do not fit, streams, foreign paths, broken bodies."""
    schema = {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}
    with OpenAIServer(echo, refuses=("json_schema", "stream", "temperature"), api_key="right") as server:
        right = {"Authorization": "Bearer right"}
        assert post(server, body(), headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert post(server, body()).status_code == 401
        refused = post(server, body(response_format=schema), headers=right)
        assert (refused.status_code, refused.json()["error"]["type"]) == (400, "invalid_request_error")
        assert "json_schema" in refused.json()["error"]["message"]
        assert post(server, body(temperature=0), headers=right).status_code == 400
        assert post(server, body(response_format={"type": "json_object"}), headers=right).status_code == 200
        assert post(server, body(stream=True), headers=right).status_code == 400
        assert post(server, ["no object"], headers=right).status_code == 400
        chat = f"{server.base_url}/chat/completions"
        assert httpx.post(chat, content=b"{broken", headers=right).status_code == 400
        assert httpx.post(chat, content=iter([b"{}"]), headers=right).status_code == 411
        assert httpx.get(f"{server.base_url}/nothing").status_code == 404
        assert httpx.post(f"{server.base_url}/embeddings", json={}).status_code == 404
        azure = server.base_url.replace("/v1", "/openai/deployments/x/chat/completions?api-version=1")
        assert httpx.post(azure, json=body(), headers=right).status_code == 200


@pytest.mark.parametrize("script", [lambda _: 1 / 0, lambda _: None], ids=["raises", "returns nothing"])
def test_a_broken_script_is_no_passing_test(script):
    """Status 500 for the client, and the error when the context ends; an error of the test itself comes first."""
    with pytest.raises((ZeroDivisionError, UsageError)), OpenAIServer(script) as server:
        assert post(server, body()).status_code == 500
    with pytest.raises(KeyError), OpenAIServer(script) as server:  # noqa: PT012
        post(server, body())
        raise KeyError
    with pytest.raises(UsageError, match="seconds"):
        OpenAIServer(echo, seconds=-1)


def test_hundreds_of_calls_from_many_threads_are_all_accounted_for():
    """Each gets its own reply; only as many calls are kept as asked for."""
    with OpenAIServer(echo, keep=100) as server, httpx.Client() as kept, ThreadPoolExecutor(16) as pool:

        def ask(n):
            return kept.post(f"{server.base_url}/chat/completions", json=body(f"n{n}"), timeout=60.0).json()

        said = list(pool.map(ask, range(500)))
        assert [s["choices"][0]["message"]["content"] for s in said] == [f"n{n}" for n in range(500)]
        assert len({s["id"] for s in said}) == server.call_count == 500
        assert len(server.calls) == 100
