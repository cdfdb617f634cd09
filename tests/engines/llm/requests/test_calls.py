"""Requests: in order, bounded, and given up in time, in threads and in tasks alike."""

import asyncio
import contextvars
import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from opentelemetry import trace

from guardrail import UsageError
from guardrail.engines.llm.protocol import Completion, LLMError
from guardrail.engines.llm.requests.calls import Calls, CallSettings, Prices
from guardrail.errors import EngineError
from guardrail.telemetry import observe

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=60.0)


DOWN = LLMError("HTTP 500", retryable=True)


def test_replies_stand_in_the_order_of_their_prompts(kind, perform, prompts, budget):
    account = budget(prices=Prices(input=2.0, cached=0.5, output=10.0))
    replies = perform(Calls(kind(seconds=0.01), FAST), prompts(20), account)
    assert [r.text for r in replies] == [f"data {n}" for n in range(20)]
    usage = account.usage
    assert (usage.calls, usage.rounds, usage.retries) == (20, 1, 0)
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (2000, 1200, 200)
    assert usage.cost == pytest.approx((800 * 2.0 + 1200 * 0.5 + 200 * 10.0) / 1e6)


def test_requests_of_a_round_are_at_work_at_once(kind, perform, prompts, budget):
    model = kind(together=8)
    perform(Calls(model, FAST), prompts(8), budget())
    assert model.most == 8


def test_a_request_gets_no_more_time_than_the_answer_has(kind, perform, prompts, budget):
    model = kind()
    perform(Calls(model, replace(FAST, timeout=300.0)), prompts(), budget(seconds=200))
    perform(Calls(model, replace(FAST, timeout=50.0)), prompts(), budget(seconds=200))
    assert 100 < model.timeouts[0] <= 199.9
    assert model.timeouts[1] == 50.0


def test_a_model_that_ignores_its_timeout_is_left_behind(kind, perform, prompts, budget, forever):
    account, model = budget(), kind(seconds=forever)
    replies = perform(Calls(model, replace(FAST, timeout=0.3, attempts=1)), prompts(2), account)
    assert [str(r) for r in replies] == ["no reply within 0.3 s"] * 2
    assert account.usage.calls == 2


def test_a_model_that_hangs_is_left_behind_at_the_deadline(kind, perform, prompts, budget, forever):
    model = kind(seconds=forever)
    replies = perform(Calls(model, FAST), prompts(2), budget(seconds=0.4))
    assert all("no reply within" in str(r) or "no time left" in str(r) for r in replies)
    assert not model.timeouts


def test_no_request_after_the_deadline(kind, perform, prompts, budget):
    model = kind()
    (reply,) = perform(Calls(model, FAST), prompts(), budget(seconds=-1))
    assert "deadline" in str(reply)
    assert not model.timeouts


def test_cancelling_gives_everything_back(prompts, budget, awaited, forever, pass_time, until):
    async def body():
        model = awaited(DOWN)
        calls = Calls(model, replace(FAST, concurrency=2, breaker_failures=1, breaker_seconds=30.0, attempts=1))
        await calls.aperform(prompts(), budget())
        pass_time(31)
        model.seconds = forever
        account = budget()
        for _ in range(5):  # each time a probe and a slot are held
            task = asyncio.create_task(calls.aperform(prompts(), account))
            await until(lambda: model.working)
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


def test_cancelling_a_round_ends_its_requests_and_its_waits(prompts, budget, awaited, until):
    async def body():
        model = awaited(*[LLMError("HTTP 429", retryable=True, retry_after=50.0)] * 4)
        task = asyncio.create_task(Calls(model, FAST).aperform(prompts(4), budget()))
        await until(lambda: len(model.timeouts) == 4)
        await asyncio.sleep(0.05)
        task.cancel()
        done, _ = await asyncio.wait({task}, timeout=25)  # a wait of 50 seconds is at work
        assert done == {task}
        assert task.cancelled()
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


def test_a_request_that_hangs_does_not_hold_up_the_exit():
    code = """
import time
from guardrail.engines.llm.requests.calls import Calls, CallSettings, Budget
from guardrail.engines.llm.protocol import Prompt
class Hanging:
    model = "x"
    def complete(self, prompt, *, timeout):
        time.sleep(600)
replies = Calls(Hanging(), CallSettings(timeout=0.1, attempts=1)).perform(
    (Prompt(identity="i", system="s", user="u"),) * 3, Budget(None, None, None))
print([str(r) for r in replies])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.count("no reply within 0.1 s") == 3


class _SecretError(Exception):
    def __init__(self):
        super().__init__("key sk-123 refused for text 'the answer'")


@pytest.mark.parametrize("error", [_SecretError(), StopIteration("sk-123"), RuntimeError("sk-123")])
def test_foreign_errors_are_named_and_not_quoted(kind, perform, error, prompts, budget):
    (reply,) = perform(Calls(kind(error), FAST), prompts(), budget())
    assert isinstance(reply, LLMError)
    assert "sk-123" not in repr(reply)
    assert (reply.__cause__, reply.__context__, reply.__traceback__) == (None, None, None)
    if not isinstance(error, StopIteration):
        assert str(reply) == type(error).__name__


def test_other_kinds_of_failure(kind, perform, prompts, budget):
    replies = [
        perform(Calls(kind(step), replace(FAST, attempts=1)), prompts(), budget())[0]
        for step in (EngineError("no licence"), ConnectionResetError(), TimeoutError(), "not a completion")
    ]
    assert [str(r) for r in replies] == [
        "no licence",
        "ConnectionResetError",
        "TimeoutError",
        "the model object returned str instead of a Completion",
    ]
    assert [r.retryable for r in replies] == [False, True, True, False]


def test_the_callers_mistakes_pass_through(kind, perform, prompts, budget):
    with pytest.raises(UsageError, match="no such model"):
        perform(Calls(kind(UsageError("no such model")), FAST), prompts(3), budget())


def test_a_model_that_can_only_be_awaited_says_what_to_call(prompts, budget, awaited):
    calls = Calls(awaited(), FAST)
    with pytest.raises(UsageError, match=r"guard\.acheck"):
        calls.perform(prompts(), budget())


def test_what_is_no_model_is_refused():
    class Wrong:
        model = "x"

        async def complete(self, prompt, *, timeout):  # noqa: ASYNC109
            raise AssertionError

    with pytest.raises(UsageError, match="acomplete"):
        Calls(Wrong())
    with pytest.raises(UsageError, match="OpenAILLM"):
        Calls("gpt")


def two_rounds(prompts, log):
    try:
        (first,) = yield prompts(1)
        second = yield prompts(2)
        return [first.text, *(r.text for r in second)]
    finally:
        log.append("closed")


def test_steps_are_driven_to_their_result(prompts, budget, blocking, awaited):
    account = budget()
    log = []
    assert Calls(blocking(), FAST).run(two_rounds(prompts, log), account) == ["data 0", "data 0", "data 1"]
    assert asyncio.run(Calls(awaited(), FAST).arun(two_rounds(prompts, log), account)) == ["data 0", "data 0", "data 1"]
    assert log == ["closed", "closed"]
    assert (account.usage.calls, account.usage.rounds) == (6, 4)


def test_steps_that_wait_for_a_cache_leave_the_loop_free(prompts, budget, awaited, until):
    begun, end = threading.Event(), threading.Event()

    def slow():
        begun.set()
        yield prompts(1)
        return end.wait(60)

    async def body():
        task = asyncio.create_task(Calls(awaited(), FAST).arun(slow(), budget()))
        await until(begun.is_set)
        for _ in range(20):
            await asyncio.sleep(0.005)
        assert not task.done()
        end.set()
        assert await task  # that it is False would mean that the loop waited for the step
        begun.clear()
        end.clear()
        task = asyncio.create_task(Calls(awaited(), FAST).arun(slow(), budget()))
        await until(begun.is_set)
        task.cancel()  # while a step is at work
        await asyncio.sleep(0.05)
        end.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(body())


def test_steps_are_closed_when_they_are_left(prompts, budget, awaited, forever, until):
    log = []
    with pytest.raises(UsageError):
        Calls(awaited(), FAST).run(two_rounds(prompts, log), budget())
    assert log == ["closed"]

    async def body():
        model = awaited(seconds=forever)
        task = asyncio.create_task(Calls(model, FAST).arun(two_rounds(prompts, log), budget()))
        await until(lambda: model.working)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(body())
    assert log == ["closed", "closed"]
