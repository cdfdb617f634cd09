"""Requests to a judge model: their spans and metrics."""

import asyncio

import pytest

from guardrail.engines.llm.engine import LLMEngine
from guardrail.engines.llm.models.openai import OpenAILLM
from guardrail.engines.llm.requests.calls import CallSettings, Prices
from guardrail.testing import OpenAIServer
from tests.support.counted import ANSWER, PASSAGES, guard
from tests.support.judge_script import ReadingJudge


def test_a_judge_is_counted_by_request(watched):
    with OpenAIServer(ReadingJudge()) as server:
        llm = OpenAILLM("judge-1", base_url=server.base_url, api_key="k")
        engine = LLMEngine(llm=llm, settings=CallSettings(), prices=Prices(input=1.0, output=2.0))
        watching = guard(watched, engine=engine)
        report = watching.run("The dam was closed in May.", PASSAGES).report
        watching.run("The dam was closed in May.", PASSAGES)
    usage = report.usage
    assert usage.calls >= 2
    assert watched.total("guardrail.judge.calls", **{"outcome": "ok", "gen_ai.request.model": "judge-1"}) == usage.calls
    assert watched.total("guardrail.judge.tokens", token_type="input") == usage.input_tokens
    assert watched.total("guardrail.judge.tokens", token_type="output") == usage.output_tokens
    assert watched.total("guardrail.judge.cost") == pytest.approx(usage.cost)
    assert watched.total("guardrail.cache.hits") >= 2
    assert watched.count("gen_ai.client.operation.duration", **{"gen_ai.operation.name": "chat"}) == usage.calls
    assert watched.count("gen_ai.client.operation.duration", **{"gen_ai.provider.name": "openai"}) == usage.calls
    assert {s.attributes["gen_ai.provider.name"] for s in watched.spans("chat judge-1")} == {"openai"}
    assert {p.attributes["gen_ai.token.type"] for p in watched.points("gen_ai.client.token.usage")} == {
        "input",
        "output",
    }


def test_a_judge_that_fails_is_counted_too(watched):
    with OpenAIServer(ReadingJudge()) as server:
        llm = OpenAILLM("judge-1", base_url=server.base_url, api_key="k")
    engine = LLMEngine(llm=llm, settings=CallSettings(attempts=1))  # nobody answers any more
    guard(watched, engine=engine).run("The dam was closed in May.", PASSAGES)
    assert watched.total("guardrail.judge.calls", outcome="error") >= 1
    assert watched.total("guardrail.judge.calls", outcome="ok") == 0
    assert watched.total("guardrail.answers", verdict="unverified") == 1


def test_a_request_that_nobody_waits_for_any_more_is_neither_ok_nor_an_error(watched):
    class Slow:
        model, asked = "judge-1", asyncio.Event()

        async def acomplete(self, prompt, *, timeout):  # noqa: ASYNC109  the protocol's name
            self.asked.set()
            await asyncio.sleep(timeout)

    async def left():
        task = asyncio.create_task(guard(watched, engine=LLMEngine(llm=Slow())).acheck(ANSWER, PASSAGES))
        await Slow.asked.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(left())
    (calls,) = watched.points("guardrail.judge.calls")
    assert (calls.attributes["outcome"], calls.value) == ("cancelled", 1)
    (chat,) = watched.spans("chat judge-1")
    assert chat.attributes["error.type"] == "CancelledError"
