"""The judge's calls have one span each, ours, whatever instrumentation of clients the service has started."""

import asyncio
import sys

import pytest

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("openai")

import httpx

from guardrail import Guard, Policy
from guardrail.engines.llm import LangChainLLM, LlamaIndexLLM, LLMEngine, OpenAILLM
from guardrail.testing import OpenAIServer
from tests.support.judge_script import ReadingJudge

ANSWER = "The bridge opened in 1950. It is 503 metres long."
PASSAGES = ["The bridge opened in 1932 and is 503 metres long."]
INSTRUMENTATIONS = {
    "openai": "OpenAIInstrumentor",
    "langchain": "LangChainInstrumentor",
    "llama_index": "LlamaIndexInstrumentor",
}


def clients():
    """HTTP clients that leave no connection open."""
    limits = httpx.Limits(max_keepalive_connections=0)
    return httpx.Client(limits=limits), httpx.AsyncClient(limits=limits)


def openai_model(server):
    return OpenAILLM("scripted", server.base_url, "key")


def langchain_model(server):
    openai = pytest.importorskip("langchain_openai")
    sync, tasks = clients()
    settings = {"base_url": server.base_url, "api_key": "key", "http_client": sync, "http_async_client": tasks}
    return LangChainLLM(openai.ChatOpenAI(model="scripted", max_retries=0, **settings))


def llama_index_model(server):
    openai = pytest.importorskip("llama_index.llms.openai_like")
    sync, tasks = clients()
    settings = {"api_base": server.base_url, "api_key": "key", "http_client": sync, "async_http_client": tasks}
    return LlamaIndexLLM(openai.OpenAILike(model="scripted", is_chat_model=True, **settings))


def asked(server, watched, make, *, awaited):
    policy = Policy.monitor().with_(deadline=60)
    guard = Guard(policy=policy, engine=LLMEngine(llm=make(server)), telemetry=watched.settings)
    report = asyncio.run(guard.acheck(ANSWER, PASSAGES)) if awaited else guard.check(ANSWER, PASSAGES)
    assert report.verdict == "contradicted"
    return report


@pytest.fixture(params=INSTRUMENTATIONS)
def traced(request, watched):
    """The service has started an instrumentation."""
    module = pytest.importorskip(f"openinference.instrumentation.{request.param}")
    instrumentor = getattr(module, INSTRUMENTATIONS[request.param])()
    instrumentor.instrument(tracer_provider=watched.tracers)
    yield watched
    instrumentor.uninstrument()


@pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("make", [openai_model, langchain_model, llama_index_model])
def test_a_judges_call_has_one_span(make, awaited, traced):
    """Of the guard, with OpenInference's and OpenTelemetry's attributes of a model's call."""
    with OpenAIServer(ReadingJudge()) as server:
        report = asked(server, traced, make, awaited=awaited)
    assert {span.name.partition(".")[0] for span in traced.spans()} == {"guardrail", "chat scripted"}
    calls = traced.spans("chat scripted")
    assert len(calls) == server.call_count == report.usage.calls == 2
    assert {span.attributes["openinference.span.kind"] for span in calls} == {"LLM"}
    above = {s.context.span_id: s.name for s in traced.spans()}
    assert [above[span.parent.span_id] for span in calls] == ["guardrail.decompose", "guardrail.verify"]
    spent = sum(span.attributes["gen_ai.usage.input_tokens"] for span in calls)
    assert spent == report.usage.input_tokens
    assert traced.count("gen_ai.client.operation.duration") == 2


def test_the_services_own_calls_are_seen_as_before(watched):
    """Only the judge is quiet: a call of the service beside it, and the one that writes an answer anew, are not."""
    module = pytest.importorskip("openinference.instrumentation.openai")
    instrumentor = module.OpenAIInstrumentor()
    instrumentor.instrument(tracer_provider=watched.tracers)
    import openai

    with OpenAIServer(lambda _: "The bridge opened in 1932.") as writer, OpenAIServer(ReadingJudge()) as judge:
        client = openai.OpenAI(base_url=writer.base_url, api_key="key", max_retries=0)

        def write(*_):
            said = client.chat.completions.create(model="scripted", messages=[{"role": "user", "content": "When?"}])
            return said.choices[0].message.content

        policy = Policy(name="again", actions={"contradicted": "regenerate"}, deadline=60)
        guard = Guard(policy=policy, engine=LLMEngine(llm=openai_model(judge)), telemetry=watched.settings)
        write()
        guarded = guard.run(ANSWER, PASSAGES, question="When?", regenerate=write)
        client.close()
    instrumentor.uninstrument()
    assert guarded.text == "The bridge opened in 1932."
    before, again = watched.spans("ChatCompletion")
    assert before.parent is None
    above = {s.context.span_id: s.name for s in watched.spans()}
    assert above[again.parent.span_id] == "guardrail.regenerate"
    assert len(watched.spans("chat scripted")) == judge.call_count


@pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
def test_a_traced_endpoint_joins_the_trace(awaited, watched):
    """Where HTTP clients are instrumented: no span of theirs, but the header that they would have set."""
    module = pytest.importorskip("opentelemetry.instrumentation.httpx")
    instrumentor = module.HTTPXClientInstrumentor()
    instrumentor.instrument(tracer_provider=watched.tracers)
    with OpenAIServer(ReadingJudge()) as server:
        asked(server, watched, openai_model, awaited=awaited)
    instrumentor.uninstrument()
    assert {span.name.partition(".")[0] for span in watched.spans()} == {"guardrail", "chat scripted"}
    sent = [call.headers["traceparent"].split("-") for call in server.calls]
    calls = {(f"{s.context.trace_id:032x}", f"{s.context.span_id:016x}") for s in watched.spans("chat scripted")}
    assert {(trace_id, span_id) for _, trace_id, span_id, _ in sent} == calls


def test_nobody_is_sent_a_header_who_did_not_ask(watched, monkeypatch):
    """Without that instrumentation a provider learns nothing of traces."""
    monkeypatch.delitem(sys.modules, "opentelemetry.instrumentation.httpx", raising=False)
    with OpenAIServer(ReadingJudge()) as server:
        asked(server, watched, openai_model, awaited=False)
    assert not any("trace" in name for call in server.calls for name in call.headers)


def test_a_failed_call_has_its_error_and_no_text(watched):
    """Its cause; messages of providers may hold the prompt."""
    with OpenAIServer(ReadingJudge(), api_key="another") as server:
        policy = Policy.monitor().with_(deadline=60)
        guard = Guard(policy=policy, engine=LLMEngine(llm=openai_model(server)), telemetry=watched.settings)
        assert guard.check(ANSWER, PASSAGES).verdict == "unverified"
    (call, *_) = watched.spans("chat scripted")
    assert call.attributes["error.type"] == "engine"
    assert "503" not in str([dict(span.attributes) for span in watched.spans()])
    assert watched.total("guardrail.judge.calls", outcome="error") == len(watched.spans("chat scripted"))
