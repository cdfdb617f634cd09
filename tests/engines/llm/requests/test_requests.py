"""Requests: in order, bounded, and given up in time, in threads and in tasks alike."""

import asyncio
import contextvars
import gc
import subprocess
import sys
import threading
import time
import weakref
from dataclasses import replace

import pytest
from opentelemetry import trace

from guardrail.engines.llm.protocol import Completion, LLMError
from guardrail.engines.llm.requests.calls import Calls, CallSettings, Prices
from guardrail.telemetry import observe

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=2.0)
DOWN = LLMError("HTTP 500", retryable=True)


def test_replies_stand_in_the_order_of_their_prompts(kind, perform, prompts, budget):
    account = budget(prices=Prices(input=2.0, cached=0.5, output=10.0))
    replies = perform(Calls(kind(seconds=0.01), FAST), prompts(20), account)
    assert [r.text for r in replies] == [f"data {n}" for n in range(20)]
    usage = account.usage
    assert (usage.calls, usage.rounds, usage.retries) == (20, 1, 0)
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (2000, 1200, 200)
    assert usage.cost == pytest.approx((800 * 2.0 + 1200 * 0.5 + 200 * 10.0) / 1e6)


def test_no_more_requests_at_once_than_allowed(kind, perform, prompts, budget):
    model = kind(seconds=0.02)
    perform(Calls(model, replace(FAST, concurrency=3)), prompts(12), budget())
    assert model.most == 3


def test_the_bound_holds_over_all_answers(prompts, budget, blocking, awaited):
    model = blocking(seconds=0.02)
    calls = Calls(model, replace(FAST, concurrency=3))
    threads = [threading.Thread(target=calls.perform, args=(prompts(4), budget())) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.most == 3
    assert len(model.timeouts) == 24

    async def answers():
        await asyncio.gather(*(acalls.aperform(prompts(4), budget()) for _ in range(6)))

    amodel = awaited(seconds=0.02)
    acalls = Calls(amodel, replace(FAST, concurrency=3))
    asyncio.run(answers())
    assert amodel.most == 3


def test_requests_of_a_round_are_at_work_at_once(kind, perform, prompts, budget):
    model = kind(seconds=0.2)
    started = time.monotonic()
    perform(Calls(model, FAST), prompts(8), budget())
    assert model.most == 8
    assert time.monotonic() - started < 1.2  # one after the other: 1.6


def test_a_request_gets_no_more_time_than_the_answer_has(kind, perform, prompts, budget):
    model = kind()
    perform(Calls(model, replace(FAST, timeout=30.0)), prompts(), budget(seconds=2))
    perform(Calls(model, replace(FAST, timeout=0.5)), prompts(), budget(seconds=2))
    assert 1.5 < model.timeouts[0] <= 1.9
    assert model.timeouts[1] == 0.5


def test_a_model_that_ignores_its_timeout_is_left_behind(kind, perform, prompts, budget):
    account = budget(seconds=0.4)
    calls = Calls(kind(seconds=1.0), FAST)
    started = time.monotonic()
    if perform is not Calls.perform:  # asyncio.run would wait for a thread; the answer need not

        async def timed():
            begun = time.monotonic()
            replies = await calls.aperform(prompts(2), account)
            return replies, time.monotonic() - begun

        replies, seconds = asyncio.run(timed())
    else:
        replies = perform(calls, prompts(2), account)
        seconds = time.monotonic() - started
    assert seconds < 0.8
    assert all("no reply within" in str(r) for r in replies)
    assert account.usage.calls == 2


def test_no_request_after_the_deadline(kind, perform, prompts, budget):
    model = kind()
    (reply,) = perform(Calls(model, FAST), prompts(), budget(seconds=-1))
    assert "deadline" in str(reply)
    assert not model.timeouts


def test_waiting_for_a_slot_ends_with_the_deadline(kind, perform, prompts, budget):
    calls = Calls(kind(seconds=0.3), replace(FAST, concurrency=1))
    replies = perform(calls, prompts(4), budget(seconds=0.75))
    assert sum(isinstance(r, Completion) for r in replies) == 2
    assert all(isinstance(r, Completion | LLMError) for r in replies)


def test_cancelling_gives_everything_back(prompts, budget, awaited):
    async def body():
        model = awaited(DOWN)
        calls = Calls(model, replace(FAST, concurrency=2, breaker_failures=1, breaker_seconds=0.05, attempts=1))
        await calls.aperform(prompts(), budget())
        await asyncio.sleep(0.06)
        model.seconds = 5.0
        account = budget()
        for _ in range(5):  # each time a probe and a slot are held
            task = asyncio.create_task(calls.aperform(prompts(), account))
            await asyncio.sleep(0.02)
            assert model.working == 1
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert model.working == 0
        model.seconds = 0.0
        assert [type(r) for r in await calls.aperform(prompts(), budget())] == [Completion]
        replies = await calls.aperform(prompts(6), budget())
        assert all(isinstance(r, Completion) for r in replies)
        assert account.usage.calls == 5

    asyncio.run(body())


def test_cancelling_a_round_ends_its_requests_and_its_waits(prompts, budget, awaited):
    async def body():
        model = awaited(*[LLMError("HTTP 429", retryable=True, retry_after=30.0)] * 4, seconds=0.01)
        task = asyncio.create_task(Calls(model, FAST).aperform(prompts(4), budget()))
        await asyncio.sleep(0.1)
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - started < 5
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(body())


def test_every_request_has_a_span_without_content(kind, perform, watched, prompts, budget):
    with observe(watched.settings, "policy", "llm"):
        perform(Calls(kind(DOWN), FAST), prompts(3), budget())
    outer, *_ = watched.spans("guardrail.check")
    chats = watched.spans("chat test-model")
    assert len(chats) == 4
    assert all(s.kind is trace.SpanKind.CLIENT and s.parent.span_id == outer.context.span_id for s in chats)
    failed = [s for s in chats if "error.type" in s.attributes]
    assert [s.attributes["error.type"] for s in failed] == ["engine"]
    good = next(s for s in chats if s not in failed)
    assert good.attributes == {
        "guardrail.schema": "2",
        "openinference.span.kind": "LLM",
        "langfuse.observation.type": "generation",
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "test-model",
        "llm.model_name": "test-model",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 10,
        "llm.token_count.prompt": 100,
        "llm.token_count.completion": 10,
        "llm.token_count.total": 110,
        "llm.token_count.prompt_details.cache_read": 60,
        "guardrail.prompt": "judge.en.v1.abc",
    }
    assert watched.total("guardrail.judge.calls", outcome="ok") == 3
    assert watched.total("guardrail.judge.calls", outcome="error") == 1
    assert watched.total("guardrail.judge.tokens", token_type="input") == 300
    assert watched.count("gen_ai.client.operation.duration") == 4


def test_threads_know_the_context_of_their_answer(prompts, budget, blocking):
    seen = []
    tenant = contextvars.ContextVar("tenant", default="nobody")

    class Reading(blocking):
        def complete(self, prompt, *, timeout):
            seen.append(tenant.get())
            return super().complete(prompt, timeout=timeout)

    tenant.set("acme")
    Calls(Reading(), FAST).perform(prompts(5), budget())
    asyncio.run(Calls(Reading(), FAST).aperform(prompts(2), budget()))
    assert seen == ["acme"] * 7


def test_a_loop_that_ended_is_not_kept(prompts, budget, awaited):
    calls = Calls(awaited(seconds=0.01), replace(FAST, concurrency=1))
    seen = []

    async def body():
        seen.append(weakref.ref(asyncio.get_running_loop()))
        await calls.aperform(prompts(3), budget())  # some of them wait, so the semaphore knows its loop

    for _ in range(5):
        asyncio.run(body())
    gc.collect()
    assert [loop() for loop in seen] == [None] * 5


def test_a_request_that_hangs_does_not_hold_up_the_exit():
    code = """
import time
from guardrail.engines.llm.requests.calls import Calls, CallSettings, Budget
from guardrail.engines.llm.protocol import Prompt
class Hanging:
    model = "x"
    def complete(self, prompt, *, timeout):
        time.sleep(60)
replies = Calls(Hanging(), CallSettings(timeout=0.1, attempts=1)).perform(
    (Prompt(identity="i", system="s", user="u"),) * 3, Budget(None, None, None))
print([str(r) for r in replies])
"""
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout.count("no reply within 0.1 s") == 3
    assert time.monotonic() - started < 10


def test_a_missing_tenacity_names_the_line_that_installs_it():
    code = """
import sys
sys.modules["tenacity"] = None
import guardrail
from guardrail.engines.llm.requests.calls import Calls
class Model:
    model = "x"
    def complete(self, prompt, *, timeout): ...
try:
    Calls(Model())
except guardrail.MissingExtraError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "rag-guardrail[llm]"' in done.stdout
