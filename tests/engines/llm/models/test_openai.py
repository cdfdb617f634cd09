"""The OpenAI client against a real HTTP server on loopback: what comes back, and what is tried again."""

import asyncio
import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from guardrail import Cause, ConfigurationError
from guardrail.engines.llm.models.openai import OpenAILLM
from guardrail.engines.llm.protocol import LLM, AsyncLLM, Completion, LLMError
from guardrail.engines.llm.requests.calls import Calls, CallSettings
from guardrail.testing import OpenAIServer, Reply
from guardrail.testing.loopback import HttpReply, Loopback
from tests.support.retry_waits import noted_waits

pytestmark = pytest.mark.clock

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=60.0)
GOOD = '{"verdict": "supported"}'


def test_a_request_and_its_reply(perform, prompt, script, one):
    answer = Reply(GOOD, input_tokens=1000, cached_tokens=800, output_tokens=20)
    with OpenAIServer(script(answer), api_key="sk-test") as server:
        reply = one(perform, server, api_key=" sk-test\n", body={"reasoning_effort": "low"})
    assert reply == Completion(text=GOOD, model="m", input_tokens=1000, cached_tokens=800, output_tokens=20)
    (call,) = server.calls
    assert call.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Judge."}, {"role": "user", "content": "the data"}],
        "max_tokens": 500,
        "temperature": 0.0,
        "reasoning_effort": "low",
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "judge_en_v1_abc", "strict": True, "schema": prompt.schema},
        },
    }


def test_eight_at_once_over_one_client(perform, prompt, budget):
    eight = threading.Barrier(8, timeout=60)

    def once_eight_are_there(body):
        eight.wait()
        return body["messages"][1]["content"]

    with OpenAIServer(once_eight_are_there) as server:
        prompts = tuple(replace(prompt, user=f"data {n}") for n in range(24))
        account = budget()
        replies = perform(OpenAILLM("m", server.base_url), FAST, prompts, account)
    assert [r.text for r in replies] == [p.user for p in prompts]
    assert server.most_at_once == 8
    assert account.usage.input_tokens == server.tokens


def test_many_answers_share_a_model_in_threads_and_loops(prompt, budget):
    with OpenAIServer(lambda body: body["messages"][1]["content"]) as server:
        calls = Calls(OpenAILLM("m", server.base_url), FAST)

        def answer(n):
            asked = (replace(prompt, user=f"data {n}"),)
            done = calls.perform(asked, budget()) if n % 2 else asyncio.run(calls.aperform(asked, budget()))
            return done[0].text

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(answer, range(40))) == [f"data {n}" for n in range(40)]


@pytest.fixture
def waits(monkeypatch):
    return noted_waits(monkeypatch)


def test_a_rate_limit_is_waited_for(perform, budget, script, one, waits):
    with OpenAIServer(script(Reply("slow down", status=429, retry_after=40), GOOD)) as server:
        account = budget(seconds=100)
        assert one(perform, server, account=account).text == GOOD
    [wait] = waits
    assert 40.0 <= wait <= 40.0 + FAST.first_wait
    assert (account.usage.calls, account.usage.retries) == (2, 1)


def test_a_deadline_before_the_retry_after(perform, budget, script, one, waits):
    with OpenAIServer(script(Reply("slow down", status=429, retry_after=50))) as server:
        reply = one(perform, server, account=budget(seconds=40))
    assert "429" in str(reply)
    assert reply.retry_after == 50
    assert (server.call_count, waits) == (1, [])


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
def test_failures_that_may_pass(perform, status, script, one):
    with OpenAIServer(script(Reply("SECRET TEXT", status=status), GOOD)) as server:
        assert one(perform, server).text == GOOD
    assert server.call_count == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_failures_that_will_not_pass(perform, status, script, one):
    with OpenAIServer(script(Reply("SECRET TEXT", status=status), GOOD)) as server:
        reply = one(perform, server)
    assert f"HTTP {status}" in str(reply)
    assert "SECRET" not in repr(reply)
    assert server.call_count == 1


@pytest.mark.parametrize("cut", ["headers", "body"])
def test_a_cut_connection_is_tried_again(perform, cut, script, one):
    with OpenAIServer(script(Reply(GOOD, cut=cut), GOOD)) as server:
        assert one(perform, server).text == GOOD
    assert server.call_count == 2


def test_a_slow_reply_is_given_up_and_tried_again(perform, script, one):
    with OpenAIServer(script(Reply(GOOD, seconds=600.0), GOOD)) as server:
        assert one(perform, server, replace(FAST, timeout=6.0)).text == GOOD
        assert server.call_count >= 2


def test_nobody_listens(perform, script, one):
    with OpenAIServer(script(GOOD)) as server:
        pass
    reply = one(perform, server)
    assert str(reply) == "APIConnectionError"
    assert reply.retryable


def test_a_budget_spent_in_the_midst_of_retries(perform, prompt, budget, script):
    with OpenAIServer(script(Reply("", status=500))) as server:
        account = budget(calls=4)
        replies = perform(OpenAILLM("m", server.base_url), replace(FAST, attempts=9), (prompt,) * 3, account)
    assert all(isinstance(r, LLMError) for r in replies)
    assert account.usage.calls == server.call_count == 4


@pytest.mark.parametrize(
    ("answer", "says", "calls"),
    [
        (Reply(refusal="I can't."), "refused", 1),
        (Reply("half", finish_reason="content_filter"), "refused", 1),
        (Reply("", finish_reason="length"), "token limit", 1),
        (Reply("", choices=0), "no choice", 3),
        (Reply(""), "no text", 3),
        (Reply(" \n "), "no text", 3),
    ],
)
def test_replies_without_a_text(perform, answer, says, calls, budget, script, one):
    with OpenAIServer(script(answer)) as server:
        account = budget()
        reply = one(perform, server, account=account)
    assert says in str(reply)
    assert server.call_count == calls
    assert account.usage.input_tokens == server.tokens  # they are paid for


def test_a_reply_cut_at_the_limit_says_so(perform, script, one):
    with OpenAIServer(script(Reply('{"verd', finish_reason="length"))) as server:
        reply = one(perform, server)
    assert reply.cut_off
    assert reply.text == '{"verd'


def raw(*answers):
    left = list(answers)
    return Loopback(lambda *_: left.pop(0) if len(left) > 1 else left[0])


@pytest.mark.parametrize(
    "text",
    [
        b"<html>Bad gateway</html>",
        b'{"choices": [{"message": {"content": "x"',
        b"[]",
        b"null",
        b'"text"',
        b"{}",
        b'{"choices": null}',
        b'{"choices": [null]}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": {"content": 7}}], "usage": "many"}',
        b'{"choices": [{"message": {"content": ["x"]}}], "usage": {"prompt_tokens": "9"}}',
        b"\xff\xfe",
    ],
)
def test_status_200_with_nonsense(perform, text, prompt, budget):
    server = raw(HttpReply(status=200, text=text))
    server.start()
    try:
        llm = OpenAILLM("m", f"{server.url}/v1")
        (reply,) = perform(llm, replace(FAST, attempts=2), (prompt,), budget())
    finally:
        server.close()
    assert isinstance(reply, LLMError)
    assert reply.cause is (Cause.REPLY if "the reply" in str(reply) else Cause.ENGINE)
    assert len(str(reply)) < 80


def test_a_spent_quota_is_not_waited_for(perform, prompt, budget):
    error = {"error": {"message": "You exceeded", "type": "insufficient_quota", "code": "insufficient_quota"}}
    server = raw(HttpReply(status=429, text=json.dumps(error).encode(), headers={"Retry-After": "1"}))
    server.start()
    try:
        account = budget()
        (reply,) = perform(OpenAILLM("m", f"{server.url}/v1"), FAST, (prompt,), account)
    finally:
        server.close()
    assert str(reply) == "RateLimitError (HTTP 429, insufficient_quota)"
    assert account.usage.calls == 1


def test_a_server_that_trickles_is_given_up(perform, prompt, budget):
    """Each byte restarts a socket's timeout; the answer's time is kept all the same."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        stop = threading.Event()

        def trickle():
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n")
                while not stop.wait(0.05):
                    try:
                        connection.sendall(b" ")
                    except OSError:
                        return

        thread = threading.Thread(target=trickle)
        thread.start()
        try:
            llm = OpenAILLM("m", f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
            (reply,) = perform(llm, replace(FAST, attempts=1, timeout=0.4), (prompt,), budget())
        finally:
            stop.set()
            thread.join()
    assert "no reply within 0.4 s" in str(reply)


def test_nobody_answers_the_door(perform, monkeypatch, prompt, budget):
    """Packets are dropped: a connection is not waited for as long as a reply."""
    import socket

    import httpx

    told = []
    for client in (httpx.Client, httpx.AsyncClient):
        real = client.send

        def send(self, request, *, real=real, **options):
            told.append(request.extensions["timeout"]["connect"])
            return real(self, request, **options)

        monkeypatch.setattr(client, "send", send)
    monkeypatch.setattr("guardrail.engines.llm.models.openai._CONNECTING", 0.2)
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(full.getsockname())
        llm = OpenAILLM("m", f"http://127.0.0.1:{full.getsockname()[1]}/v1")
        (reply,) = perform(llm, replace(FAST, attempts=1), (prompt,), budget())
        for each in waiting:
            each.close()
    assert str(reply) == "APITimeoutError"
    assert reply.retryable
    assert told == [0.2]


def test_no_key_no_model(monkeypatch):
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        OpenAILLM("gpt")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-env")
    assert OpenAILLM("gpt").model == "gpt"
    for wrong in ({"model": ""}, {"structured": "xml"}, {"base_url": "localhost:8000"}, {"client": {"http_client": 1}}):
        with pytest.raises(ConfigurationError):
            OpenAILLM(**{"model": "gpt", **wrong})
    with pytest.raises(ConfigurationError, match="unexpected keyword"):
        OpenAILLM("gpt", client={"no_such_option": 1})


def test_the_key_of_the_environment_and_a_placeholder(monkeypatch, prompt, budget, script, in_threads, one):
    with OpenAIServer(script(GOOD), api_key="sk-from-env") as server:
        assert "401" in str(one(in_threads, server))
        monkeypatch.setenv("OPENAI_API_KEY", "sk-from-env")
        assert one(in_threads, server).text == GOOD
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        llm = OpenAILLM("m")
        assert in_threads(llm, FAST, (prompt,), budget())[0].text == GOOD


def test_a_model_shows_no_key():
    with pytest.raises(ConfigurationError) as wrong:
        OpenAILLM("m", "user:sk-secret@localhost:9/v1")
    assert "sk-secret" not in str(wrong.value)
    llm = OpenAILLM("m", "http://user:sk-secret@localhost:9/v1", "sk-secret")
    assert repr(llm) == "OpenAILLM(model='m', base_url='http://localhost:9/v1/')"
    assert isinstance(llm, LLM)
    assert isinstance(llm, AsyncLLM)


def test_azure(perform, prompt, budget, script):
    with OpenAIServer(script(GOOD)) as server:
        endpoint = server.base_url.removesuffix("/v1")
        llm = OpenAILLM.azure("judge-4", endpoint, "azure-key", api_version="2024-10-21", temperature=0.1)
        assert llm.provider == "azure.ai.openai"
        assert perform(llm, FAST, (prompt,), budget())[0].text == GOOD
    assert "azure-key" not in repr(llm)
    (call,) = server.calls
    assert call.path == "/openai/deployments/judge-4/chat/completions"
    assert call.body["temperature"] == 0.1
    with pytest.raises(ConfigurationError, match="azure_endpoint"):
        OpenAILLM.azure("judge-4", api_key="azure-key", api_version="2024-10-21")


@pytest.mark.parametrize(
    ("vendor", "module", "make", "line"),
    [
        ("openai", "openai", "OpenAILLM('m')", "rag-guardrail[openai]"),
        ("langchain_core", "langchain", "LangChainLLM(None)", "rag-guardrail[langchain,llm]"),
        ("llama_index", "llama_index", "LlamaIndexLLM(None)", "rag-guardrail[llama-index,llm]"),
    ],
)
def test_a_missing_vendor_names_the_line_that_installs_it(vendor, module, make, line):
    code = f"""
import sys
for name in {vendor!r}, "llama_index.core.callbacks", "langchain_core.language_models":
    sys.modules[name] = None
import guardrail
from guardrail.engines.llm.models.{module} import *
try:
    {make}
except guardrail.MissingExtraError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f'pip install "{line}"' in done.stdout
