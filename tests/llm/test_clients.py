"""Clients against a real HTTP server on loopback, and real LangChain and LlamaIndex models."""

import asyncio
import gc
import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.fake_chat_models import FakeListChatModel, FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from llama_index.core.callbacks import CallbackManager, TokenCountingHandler
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata

from guardrail import ConfigurationError
from guardrail.llm.calls import Calls, CallSettings, Ledger
from guardrail.llm.failures import failure, retry_after
from guardrail.llm.langchain import LangChainLLM
from guardrail.llm.llama_index import LlamaIndexLLM
from guardrail.llm.openai import OpenAILLM
from guardrail.llm.protocol import LLM, AsyncLLM, Completion, LLMError, Prompt
from guardrail.testing import OpenAIServer, Reply
from guardrail.testing.loopback import HttpReply, Loopback

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string"}},
    "required": ["verdict"],
    "additionalProperties": False,
}
PROMPT = Prompt(identity="judge.en.v1.abc", system="Judge.", user="the data", schema=SCHEMA, max_tokens=500)
FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=5.0)
GOOD = '{"verdict": "supported"}'


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch):
    for name in [n for n in os.environ if n.startswith(("OPENAI_", "AZURE_"))]:
        monkeypatch.delenv(name)


def ledger(seconds=None, calls=None):
    return Ledger(None if seconds is None else time.monotonic() + seconds, calls, None)


class Script:
    """Replies one by one; the last again and again."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.lock = threading.Lock()

    def __call__(self, body):
        with self.lock:
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def in_threads(llm, settings, asked, account):
    return Calls(llm, settings).perform(asked, account)


def in_tasks(llm, settings, asked, account):
    return asyncio.run(rounds(llm, settings, asked, account))


async def rounds(llm, settings, asked, *accounts):
    """A round for each account in one loop; the clients of vendors do not outlive theirs."""
    calls = Calls(llm, settings)
    replies = [await calls.aperform(asked, account) for account in accounts]
    for model in {id(m): m for m in (getattr(llm, "_given", None), getattr(llm, "_cold", None))}.values():
        for client in (getattr(model, "root_async_client", None), getattr(model, "_aclient", None)):
            if client is not None:
                await client.close()
    return replies[-1]


WAYS = pytest.mark.parametrize("perform", [in_threads, in_tasks])


def one(perform, server, settings=FAST, account=None, **options):
    (reply,) = perform(OpenAILLM("m", server.base_url, **options), settings, (PROMPT,), account or ledger())
    return reply


@WAYS
def test_a_request_and_its_reply(perform):
    answer = Reply(GOOD, input_tokens=1000, cached_tokens=800, output_tokens=20)
    with OpenAIServer(Script(answer), api_key="sk-test") as server:
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
            "json_schema": {"name": "judge_en_v1_abc", "strict": True, "schema": SCHEMA},
        },
    }


@WAYS
def test_eight_at_once_over_one_client(perform):
    with OpenAIServer(lambda body: body["messages"][1]["content"], seconds=0.1) as server:
        prompts = tuple(replace(PROMPT, user=f"data {n}") for n in range(24))
        account = ledger()
        replies = perform(OpenAILLM("m", server.base_url), FAST, prompts, account)
    assert [r.text for r in replies] == [p.user for p in prompts]
    assert server.most_at_once == 8
    assert account.usage.input_tokens == server.tokens


def test_many_answers_share_a_model_in_threads_and_loops():
    with OpenAIServer(lambda body: body["messages"][1]["content"]) as server:
        calls = Calls(OpenAILLM("m", server.base_url), FAST)

        def answer(n):
            asked = (replace(PROMPT, user=f"data {n}"),)
            done = calls.perform(asked, ledger()) if n % 2 else asyncio.run(calls.aperform(asked, ledger()))
            return done[0].text

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(answer, range(40))) == [f"data {n}" for n in range(40)]


@WAYS
def test_a_rate_limit_is_waited_for(perform):
    with OpenAIServer(Script(Reply("slow down", status=429, retry_after=0.4), GOOD)) as server:
        started = time.monotonic()
        account = ledger(seconds=10)
        assert one(perform, server, account=account).text == GOOD
        assert 0.4 <= time.monotonic() - started < 2.0
    assert server.calls[1].arrived - server.calls[0].arrived >= 0.4
    assert (account.usage.calls, account.usage.retries) == (2, 1)


@WAYS
def test_a_deadline_before_the_retry_after(perform):
    with OpenAIServer(Script(Reply("slow down", status=429, retry_after=5))) as server:
        started = time.monotonic()
        reply = one(perform, server, account=ledger(seconds=2))
        assert time.monotonic() - started < 1.0
    assert "429" in str(reply)
    assert reply.retry_after == 5
    assert server.call_count == 1


@WAYS
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
def test_failures_that_may_pass(perform, status):
    with OpenAIServer(Script(Reply("SECRET TEXT", status=status), GOOD)) as server:
        assert one(perform, server).text == GOOD
    assert server.call_count == 2


@WAYS
@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_failures_that_will_not_pass(perform, status):
    with OpenAIServer(Script(Reply("SECRET TEXT", status=status), GOOD)) as server:
        reply = one(perform, server)
    assert f"HTTP {status}" in str(reply)
    assert "SECRET" not in repr(reply)
    assert server.call_count == 1


@WAYS
@pytest.mark.parametrize("cut", ["headers", "body"])
def test_a_cut_connection_is_tried_again(perform, cut):
    with OpenAIServer(Script(Reply(GOOD, cut=cut), GOOD)) as server:
        assert one(perform, server).text == GOOD
    assert server.call_count == 2


@WAYS
def test_a_slow_reply_is_given_up_and_tried_again(perform):
    with OpenAIServer(Script(Reply(GOOD, seconds=1.0), GOOD)) as server:
        started = time.monotonic()
        assert one(perform, server, replace(FAST, timeout=0.3)).text == GOOD
        assert 0.3 <= time.monotonic() - started < 0.9


@WAYS
def test_nobody_listens(perform):
    with OpenAIServer(Script(GOOD)) as server:
        pass
    reply = one(perform, server)
    assert str(reply) == "APIConnectionError"
    assert reply.retryable


@WAYS
def test_a_budget_spent_in_the_midst_of_retries(perform):
    with OpenAIServer(Script(Reply("", status=500))) as server:
        account = ledger(calls=4)
        replies = perform(OpenAILLM("m", server.base_url), replace(FAST, attempts=9), (PROMPT,) * 3, account)
    assert all(isinstance(r, LLMError) for r in replies)
    assert account.usage.calls == server.call_count == 4


@WAYS
@pytest.mark.parametrize(
    ("refuses", "form"),
    [(["json_schema"], "json_object"), (["json_schema", "json_object"], None), (["response_format"], None)],
)
def test_what_an_endpoint_refuses_is_learned_once(perform, refuses, form):
    with OpenAIServer(Script(GOOD), refuses=[*refuses, "temperature", "seed", "max_tokens"]) as server:
        llm = OpenAILLM("m", server.base_url, seed=7)
        account = ledger()
        (reply,) = perform(llm, FAST, (PROMPT,), account)
        assert reply.text == GOOD
        learning = server.call_count
        assert learning == account.usage.calls == (6 if form is None else 5)
        assert account.usage.retries == learning - 1
        perform(llm, FAST, (PROMPT,) * 3, ledger())
        assert server.call_count == learning + 3
    body = server.calls[-1].body
    assert body.get("response_format", {}).get("type") == form
    assert "temperature" not in body
    assert "seed" not in body
    assert body["max_completion_tokens"] == 500
    system = body["messages"][0]["content"]
    assert system.startswith("Judge.\n\n")
    assert json.loads(system.splitlines()[-1]) == SCHEMA


def test_eight_learn_at_once():
    with OpenAIServer(Script(GOOD), refuses=["json_schema", "temperature"], seconds=0.02) as server:
        llm = OpenAILLM("m", server.base_url)
        replies = in_threads(llm, FAST, (PROMPT,) * 8, ledger())
        assert [r.text for r in replies] == [GOOD] * 8
        before = server.call_count
        in_threads(llm, FAST, (PROMPT,) * 8, ledger())
        assert server.call_count == before + 8


def test_a_refusal_of_something_else_teaches_nothing():
    """The text may speak of anything: an endpoint that still refuses is asked in full the next time."""
    bad = Reply("max_tokens and temperature: your text is too long", status=400)
    with OpenAIServer(Script(bad, bad, bad, GOOD)) as server:
        llm = OpenAILLM("m", server.base_url)
        (reply,) = in_threads(llm, FAST, (PROMPT,), ledger())
        assert "400" in str(reply)
        in_threads(llm, FAST, (PROMPT,), ledger())
    assert server.calls[-1].body["temperature"] == 0.0
    assert server.calls[-1].body["response_format"]["type"] == "json_schema"


def test_a_fixed_form_is_kept_to():
    with OpenAIServer(Script(GOOD), refuses=["json_schema"]) as server:
        assert "400" in str(one(in_threads, server, structured="json_schema"))
        assert server.call_count == 1
        assert one(in_threads, server, structured="none", temperature=None).text == GOOD
    body = server.calls[-1].body
    assert "response_format" not in body
    assert "temperature" not in body


def test_free_text_needs_no_form():
    with OpenAIServer(Script("Hello.")) as server:
        Calls(OpenAILLM("m", server.base_url)).perform((replace(PROMPT, schema=None),), ledger())
    assert "response_format" not in server.calls[0].body


@WAYS
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
def test_replies_without_a_text(perform, answer, says, calls):
    with OpenAIServer(Script(answer)) as server:
        account = ledger()
        reply = one(perform, server, account=account)
    assert says in str(reply)
    assert server.call_count == calls
    assert account.usage.input_tokens == server.tokens  # they are paid for


@WAYS
def test_a_reply_cut_at_the_limit_says_so(perform):
    with OpenAIServer(Script(Reply('{"verd', finish_reason="length"))) as server:
        reply = one(perform, server)
    assert reply.cut_off
    assert reply.text == '{"verd'


def raw(*answers):
    left = list(answers)
    return Loopback(lambda *_: left.pop(0) if len(left) > 1 else left[0])


@WAYS
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
def test_status_200_with_nonsense(perform, text):
    server = raw(HttpReply(status=200, text=text))
    server.start()
    try:
        llm = OpenAILLM("m", f"{server.url}/v1")
        (reply,) = perform(llm, replace(FAST, attempts=2), (PROMPT,), ledger())
    finally:
        server.close()
    assert isinstance(reply, LLMError)
    assert len(str(reply)) < 80


@WAYS
def test_a_spent_quota_is_not_waited_for(perform):
    error = {"error": {"message": "You exceeded", "type": "insufficient_quota", "code": "insufficient_quota"}}
    server = raw(HttpReply(status=429, text=json.dumps(error).encode(), headers={"Retry-After": "1"}))
    server.start()
    try:
        account = ledger()
        (reply,) = perform(OpenAILLM("m", f"{server.url}/v1"), FAST, (PROMPT,), account)
    finally:
        server.close()
    assert str(reply) == "RateLimitError (HTTP 429, insufficient_quota)"
    assert account.usage.calls == 1


@WAYS
def test_a_server_that_trickles_is_given_up(perform):
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
            started = time.monotonic()
            llm = OpenAILLM("m", f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
            (reply,) = perform(llm, replace(FAST, attempts=1, timeout=0.4), (PROMPT,), ledger())
            assert time.monotonic() - started < 1.0
        finally:
            stop.set()
            thread.join()
    assert "no reply within 0.4 s" in str(reply)


@WAYS
def test_nobody_answers_the_door(perform, monkeypatch):
    """Packets are dropped: a connection is not waited for as long as a reply."""
    import socket

    monkeypatch.setattr("guardrail.llm.openai._CONNECTING", 0.2)
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(full.getsockname())
        started = time.monotonic()
        llm = OpenAILLM("m", f"http://127.0.0.1:{full.getsockname()[1]}/v1")
        (reply,) = perform(llm, replace(FAST, attempts=1), (PROMPT,), ledger())
        assert time.monotonic() - started < 2.0
        for each in waiting:
            each.close()
    assert str(reply) == "APITimeoutError"
    assert reply.retryable


def test_retry_after_in_all_its_forms():
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert retry_after({"Retry-After": "2.5"}) == 2.5
    assert retry_after({"retry-after-ms": "1500", "Retry-After": "9"}) == 1.5
    assert 28 < retry_after({"Retry-After": soon}) <= 30
    assert retry_after({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0
    for nonsense in (
        {},
        {"Retry-After": "soon"},
        {"Retry-After": "-1"},
        {"Retry-After": "nan"},
        {"Retry-After": "1e999"},
    ):
        assert retry_after(nonsense) is None


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


def test_the_key_of_the_environment_and_a_placeholder(monkeypatch):
    with OpenAIServer(Script(GOOD), api_key="sk-from-env") as server:
        assert "401" in str(one(in_threads, server))
        monkeypatch.setenv("OPENAI_API_KEY", "sk-from-env")
        assert one(in_threads, server).text == GOOD
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        llm = OpenAILLM("m")
        assert in_threads(llm, FAST, (PROMPT,), ledger())[0].text == GOOD


def test_a_model_shows_no_key():
    with pytest.raises(ConfigurationError) as wrong:
        OpenAILLM("m", "user:sk-secret@localhost:9/v1")
    assert "sk-secret" not in str(wrong.value)
    llm = OpenAILLM("m", "http://user:sk-secret@localhost:9/v1", "sk-secret")
    assert repr(llm) == "OpenAILLM(model='m', base_url='http://localhost:9/v1/')"
    assert isinstance(llm, LLM)
    assert isinstance(llm, AsyncLLM)


@WAYS
def test_azure(perform):
    with OpenAIServer(Script(GOOD)) as server:
        endpoint = server.base_url.removesuffix("/v1")
        llm = OpenAILLM.azure("judge-4", endpoint, "azure-key", api_version="2024-10-21", temperature=0.1)
        assert perform(llm, FAST, (PROMPT,), ledger())[0].text == GOOD
    assert "azure-key" not in repr(llm)
    (call,) = server.calls
    assert call.path == "/openai/deployments/judge-4/chat/completions"
    assert call.body["temperature"] == 0.1
    with pytest.raises(ConfigurationError, match="azure_endpoint"):
        OpenAILLM.azure("judge-4", api_key="azure-key", api_version="2024-10-21")


def test_a_loop_that_ends_closes_its_connections():
    with OpenAIServer(Script(GOOD)) as server:
        llm = OpenAILLM("m", server.base_url)
        calls = Calls(llm, FAST)
        kept = []

        async def body():
            await calls.aperform((PROMPT,) * 2, ledger())
            kept.append(await llm._clients.in_loop())
            assert not kept[-1].is_closed()
            await calls.aperform((PROMPT,), ledger())
            assert kept[-1] is await llm._clients.in_loop()

        for _ in range(3):
            asyncio.run(body())
        assert [client.is_closed() for client in kept] == [True] * 3
        assert len(llm._clients._loops) == 1
        gc.collect()  # an unclosed socket would be a warning, and so an error, here


def test_a_model_that_is_dropped_closes_its_connections(monkeypatch):
    """In a circle of references too, which the collector frees in any order: an unclosed socket would warn there."""
    heard = []
    monkeypatch.setattr(sys, "unraisablehook", lambda event: heard.append(event.exc_value))

    async def body():
        llm = OpenAILLM("m", server.base_url)
        await Calls(llm, FAST).aperform((PROMPT,) * 2, ledger())
        Calls(llm, FAST).perform((PROMPT,), ledger())
        clients = [await llm._clients.in_loop(), llm._clients.here()]
        circle = [llm]
        circle.append(circle)
        del llm, circle
        gc.collect()
        await asyncio.sleep(0.05)
        return [client.is_closed() for client in clients]

    async def forgotten():
        llm = OpenAILLM("m", server.base_url)
        await Calls(llm, FAST).aperform((PROMPT,) * 2, ledger())
        circle = [llm]
        circle.append(circle)
        del llm, circle
        gc.collect()
        await asyncio.sleep(0.05)

    with OpenAIServer(Script(GOOD)) as server:
        assert asyncio.run(body()) == [True, True]
        asyncio.run(forgotten())
    assert heard == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_opens_its_own_connections():
    code = """
import os, sys
from guardrail.llm.openai import OpenAILLM
llm = OpenAILLM("m", "http://localhost:9/v1")
mine = llm._clients.here()
assert llm._clients.here() is mine
if os.fork() == 0:
    os._exit(0 if llm._clients.here() is not mine else 1)
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=False).returncode == 0


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
from guardrail.llm.{module} import *
try:
    {make}
except guardrail.MissingExtraError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f'pip install "{line}"' in done.stdout


def test_errors_of_other_vendors():
    class Response:
        status_code = 503
        headers = {"Retry-After": "4"}  # noqa: RUF012

    class VendorError(Exception):
        response = Response()

    class ResourceExhaustedError(Exception):
        code = 429

    class ThrottlingError(Exception):
        response = {"ResponseMetadata": {"HTTPStatusCode": 400}}  # noqa: RUF012

    class ReadTimeout(Exception):  # noqa: N818  httpx's name
        pass

    class RefusedError(Exception):
        status_code = 403

    cases = [VendorError, ResourceExhaustedError, ThrottlingError, ReadTimeout, RefusedError, KeyError]
    got = [failure(kind("sk-secret")) for kind in cases]
    assert [e.retryable for e in got] == [True, True, False, True, False, False]
    assert got[0].retry_after == 4.0
    assert [str(e) for e in got] == [
        "VendorError (HTTP 503)",
        "ResourceExhaustedError (HTTP 429)",
        "ThrottlingError (HTTP 400)",
        "ReadTimeout",
        "RefusedError (HTTP 403)",
        "KeyError",
    ]


# LangChain


class Heard(BaseCallbackHandler):
    def __init__(self):
        self.starts = []

    def on_chat_model_start(self, serialized, messages, **_):
        self.starts.append(messages)

    def on_chain_start(self, serialized, inputs, **_):
        self.starts.append("chain")


def message(**more):
    usage = {"input_tokens": 50, "output_tokens": 5, "total_tokens": 55, "input_token_details": {"cache_read": 40}}
    return AIMessage(GOOD, usage_metadata=usage, **more)


@WAYS
def test_langchain(perform):
    llm = LangChainLLM(FakeMessagesListChatModel(responses=[message()]))
    account = ledger()
    replies = perform(llm, FAST, (PROMPT,) * 8, account)
    assert [r.text for r in replies] == [GOOD] * 8
    assert (account.usage.input_tokens, account.usage.cached_tokens, account.usage.output_tokens) == (400, 320, 40)
    assert isinstance(llm, LLM)
    assert isinstance(llm, AsyncLLM)


def test_langchain_puts_the_schema_in_the_instructions():
    heard = Heard()
    model = FakeMessagesListChatModel(responses=[message()], callbacks=[heard])
    in_threads(LangChainLLM(model), FAST, (PROMPT,), ledger())
    ((system, user),) = heard.starts[0]
    assert (system.type, user.type, user.text) == ("system", "human", "the data")
    assert json.loads(system.text.splitlines()[-1]) == SCHEMA


@WAYS
def test_a_langchain_chain_does_not_hear_of_its_judge(perform):
    heard = Heard()
    llm = LangChainLLM(FakeListChatModel(responses=[GOOD]))

    def judge(_):
        return Calls(llm, FAST).perform((PROMPT,), ledger())[0].text

    async def ajudge(_):
        return (await Calls(llm, FAST).aperform((PROMPT,), ledger()))[0].text

    chain = RunnableLambda(judge, afunc=ajudge)
    config = {"callbacks": [heard]}
    said = chain.invoke("x", config) if perform is in_threads else asyncio.run(chain.ainvoke("x", config))
    assert said == GOOD
    assert heard.starts == ["chain"]


@WAYS
@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (AIMessage(""), "no text"),
        (AIMessage("", additional_kwargs={"refusal": "no"}), "refused"),
        (AIMessage("x", response_metadata={"finish_reason": "content_filter"}), "refused"),
    ],
)
def test_langchain_replies_without_a_text(perform, reply, says):
    llm = LangChainLLM(FakeMessagesListChatModel(responses=[reply]))
    assert says in str(perform(llm, FAST, (PROMPT,), ledger())[0])


def test_langchain_content_in_parts_and_cut():
    parts = AIMessage([{"type": "text", "text": "{"}], response_metadata={"stop_reason": "max_tokens"})
    (reply,) = in_threads(LangChainLLM(FakeMessagesListChatModel(responses=[parts])), FAST, (PROMPT,), ledger())
    assert reply.cut_off
    assert reply.text == "{"


def test_langchain_needs_a_chat_model():
    with pytest.raises(ConfigurationError, match="BaseChatModel"):
        LangChainLLM("gpt-5")


@pytest.fixture
def chat_openai():
    return pytest.importorskip("langchain_openai").ChatOpenAI


@WAYS
def test_langchain_openai(perform, chat_openai):
    with OpenAIServer(Script(Reply("busy", status=503), Reply(GOOD, input_tokens=90, cached_tokens=30))) as server:
        model = chat_openai(model="m", base_url=server.base_url, api_key="x", max_retries=0, temperature=0.9)
        account = ledger()
        (reply,) = perform(LangChainLLM(model), FAST, (PROMPT,), account)
        assert model.temperature == 0.9
    assert (reply.text, reply.model) == (GOOD, "m")
    assert (account.usage.calls, account.usage.input_tokens, account.usage.cached_tokens) == (2, 90, 30)
    assert server.calls[1].body["temperature"] == 0.0
    assert "response_format" not in server.calls[1].body


@WAYS
def test_langchain_openai_by_schema(perform, chat_openai):
    with OpenAIServer(Script(GOOD)) as server:
        model = chat_openai(model="m", base_url=server.base_url, api_key="x", max_retries=0)
        (reply,) = perform(LangChainLLM(model, structured=True), FAST, (PROMPT,), ledger())
    assert reply.text == GOOD
    (call,) = server.calls
    assert call.body["response_format"]["type"] == "json_schema"
    assert call.body["messages"][0]["content"] == "Judge."


def test_langchain_openai_that_refuses(chat_openai):
    with OpenAIServer(Script(GOOD), refuses=["json_schema", "temperature"]) as server:
        model = chat_openai(model="m", base_url=server.base_url, api_key="x", max_retries=0)
        llm = LangChainLLM(model, structured=True)
        first = ledger()
        assert in_threads(llm, FAST, (PROMPT,), first)[0].text == GOOD
        assert server.call_count == first.usage.calls == 3
        assert in_threads(llm, FAST, (PROMPT,), ledger())[0].text == GOOD
        assert server.call_count == 4
        llm = LangChainLLM(model, structured=True)
        first = ledger()
        assert asyncio.run(rounds(llm, FAST, (PROMPT,), first, ledger()))[0].text == GOOD
        assert first.usage.calls == 3
        assert server.call_count == 8


@WAYS
def test_langchain_openai_failures(perform, chat_openai):
    with OpenAIServer(Script(Reply("SECRET", status=429, retry_after=9))) as server:
        model = chat_openai(model="m", base_url=server.base_url, api_key="sk-1", max_retries=0)
        (reply,) = perform(LangChainLLM(model), FAST, (PROMPT,), ledger(seconds=1))
        assert reply.retryable
        assert reply.retry_after == 9
    (reply,) = perform(LangChainLLM(model), FAST, (PROMPT,), ledger())
    assert str(reply).endswith("ConnectionError")
    assert reply.retryable


# LlamaIndex


class Local(CustomLLM):
    """A model of a user's own."""

    temperature: float = 0.7
    text: str = GOOD
    seconds: float = 0.0

    @property
    def metadata(self):
        return LLMMetadata(model_name="local-7b")

    def complete(self, prompt, formatted=False, **_):
        time.sleep(self.seconds)
        if self.text == "fail":
            raise ConnectionError("sk-secret")
        raw = {"usage": {"prompt_tokens": len(prompt), "completion_tokens": 3}, "temperature": self.temperature}
        return CompletionResponse(text=self.text, raw=raw)

    def stream_complete(self, prompt, formatted=False, **_):
        raise NotImplementedError


@WAYS
def test_llama_index(perform):
    counter = TokenCountingHandler(tokenizer=str.split)
    given = Local(callback_manager=CallbackManager([counter]))
    llm = LlamaIndexLLM(given)
    account = ledger()
    replies = perform(llm, FAST, (PROMPT,) * 8, account)
    assert [r.text for r in replies] == [GOOD] * 8
    assert llm.model == "local-7b"
    assert account.usage.output_tokens == 24
    assert account.usage.input_tokens > 8 * len(json.dumps(SCHEMA, separators=(",", ":")))
    assert counter.total_llm_token_count == 0  # the user's own counts are of the user's own calls
    assert given.temperature == 0.7


def test_a_blocking_llama_index_model_leaves_the_loop_free():
    async def body():
        calls = Calls(LlamaIndexLLM(Local(seconds=0.3)), FAST)
        task = asyncio.create_task(calls.aperform((PROMPT,) * 4, ledger()))
        ticks = 0
        while not task.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks, time.monotonic()

    started = time.monotonic()
    ticks, ended = asyncio.run(body())
    assert ticks > 10
    assert ended - started < 0.9


@WAYS
def test_llama_index_failures(perform):
    assert "no text" in str(perform(LlamaIndexLLM(Local(text="")), FAST, (PROMPT,), ledger())[0])
    account = ledger()
    (reply,) = perform(LlamaIndexLLM(Local(text="fail")), FAST, (PROMPT,), account)
    assert str(reply) == "ConnectionError"
    assert account.usage.calls == 3
    with pytest.raises(ConfigurationError, match="LlamaIndex LLM"):
        LlamaIndexLLM("gpt-5")


@WAYS
def test_llama_index_openai_like(perform):
    like = pytest.importorskip("llama_index.llms.openai_like").OpenAILike
    replies = (Reply("busy", status=503), Reply(GOOD, input_tokens=90, cached_tokens=30, finish_reason="length"))
    with OpenAIServer(Script(*replies)) as server:
        given = like(model="m", api_base=server.base_url, api_key="x", is_chat_model=True, temperature=0.9)
        account = ledger()
        (reply,) = perform(LlamaIndexLLM(given), FAST, (PROMPT,), account)
    assert (reply.text, reply.cut_off) == (GOOD, True)
    assert (account.usage.calls, account.usage.input_tokens, account.usage.cached_tokens) == (2, 90, 30)
    assert server.call_count == 2  # its own retries are off
    assert server.calls[1].body["temperature"] == 0.0
    assert [m["role"] for m in server.calls[1].body["messages"]] == ["system", "user"]
