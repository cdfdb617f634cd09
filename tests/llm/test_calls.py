"""Requests: retried, bounded, counted and given up in time, in threads and in tasks alike."""

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

from guardrail import ConfigurationError, UsageError
from guardrail.errors import EngineError
from guardrail.llm.breaker import Breaker
from guardrail.llm.calls import Calls, CallSettings, Ledger, Prices
from guardrail.llm.protocol import Completion, LLMError, Prompt
from guardrail.telemetry import observed

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=2.0)
DOWN = LLMError("HTTP 500", retryable=True)


def prompts(count=1):
    return tuple(Prompt(identity="judge.en.v1.abc", system="Judge.", user=f"data {n}") for n in range(count))


def ledger(seconds=None, calls=None, prices=None):
    return Ledger(None if seconds is None else time.monotonic() + seconds, calls, prices)


class Model:
    """Does what a script says for each request; counts how many are at work at once."""

    model = "test-model"

    def __init__(self, *script, seconds=0.0):
        self.script = list(script)
        self.seconds = seconds
        self.timeouts = []
        self.working = self.most = 0
        self.lock = threading.Lock()

    def __enter__(self):
        with self.lock:
            self.working += 1
            self.most = max(self.most, self.working)

    def __exit__(self, *_):
        with self.lock:
            self.working -= 1

    def reply(self, prompt, timeout):
        with self.lock:
            self.timeouts.append(timeout)
            step = self.script.pop(0) if self.script else None
        if isinstance(step, BaseException):
            raise step
        return step or Completion(text=prompt.user, input_tokens=100, cached_tokens=60, output_tokens=10)


class Sync(Model):
    def complete(self, prompt, *, timeout):
        with self:
            time.sleep(self.seconds)
            return self.reply(prompt, timeout)


class Async(Model):
    async def acomplete(self, prompt, *, timeout):  # noqa: ASYNC109
        with self:
            await asyncio.sleep(self.seconds)
            return self.reply(prompt, timeout)


def perform(calls, asked, account):
    return calls.perform(asked, account)


def aperform(calls, asked, account):
    return asyncio.run(calls.aperform(asked, account))


WAYS = pytest.mark.parametrize(
    ("kind", "perform"),
    [
        pytest.param(Sync, perform, id="threads"),
        pytest.param(Async, aperform, id="tasks"),
        pytest.param(Sync, aperform, id="tasks-over-threads"),
    ],
)


@WAYS
def test_replies_stand_in_the_order_of_their_prompts(kind, perform):
    account = ledger(prices=Prices(input=2.0, cached=0.5, output=10.0))
    replies = perform(Calls(kind(seconds=0.01), FAST), prompts(20), account)
    assert [r.text for r in replies] == [f"data {n}" for n in range(20)]
    usage = account.usage
    assert (usage.calls, usage.rounds, usage.retries) == (20, 1, 0)
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (2000, 1200, 200)
    assert usage.cost == pytest.approx((800 * 2.0 + 1200 * 0.5 + 200 * 10.0) / 1e6)


@WAYS
def test_no_more_requests_at_once_than_allowed(kind, perform):
    model = kind(seconds=0.02)
    perform(Calls(model, replace(FAST, concurrency=3)), prompts(12), ledger())
    assert model.most == 3


def test_the_bound_holds_over_all_answers():
    model = Sync(seconds=0.02)
    calls = Calls(model, replace(FAST, concurrency=3))
    threads = [threading.Thread(target=calls.perform, args=(prompts(4), ledger())) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.most == 3
    assert len(model.timeouts) == 24

    async def answers():
        await asyncio.gather(*(acalls.aperform(prompts(4), ledger()) for _ in range(6)))

    amodel = Async(seconds=0.02)
    acalls = Calls(amodel, replace(FAST, concurrency=3))
    asyncio.run(answers())
    assert amodel.most == 3


def test_requests_of_a_round_are_at_work_at_once():
    for kind, way in ((Sync, perform), (Async, aperform)):
        model = kind(seconds=0.2)
        started = time.monotonic()
        way(Calls(model, FAST), prompts(8), ledger())
        assert model.most == 8
        assert time.monotonic() - started < 0.6


@WAYS
def test_failures_that_may_pass_are_tried_again(kind, perform):
    account = ledger()
    (reply,) = perform(Calls(kind(DOWN, DOWN), FAST), prompts(), account)
    assert reply.text == "data 0"
    assert (account.usage.calls, account.usage.retries, account.usage.rounds) == (3, 2, 1)


@WAYS
def test_other_failures_are_not_tried_again(kind, perform):
    account = ledger()
    (reply,) = perform(Calls(kind(LLMError("HTTP 401")), FAST), prompts(), account)
    assert isinstance(reply, LLMError)
    assert str(reply) == "HTTP 401"
    assert account.usage.calls == 1


@WAYS
def test_attempts_end(kind, perform):
    account = ledger()
    (reply,) = perform(Calls(kind(*[DOWN] * 9), FAST), prompts(), account)
    assert str(reply) == "HTTP 500"
    assert account.usage.calls == 3


@WAYS
def test_one_failure_leaves_the_others(kind, perform):
    replies = perform(Calls(kind(LLMError("HTTP 400")), FAST), prompts(5), ledger())
    assert [type(r) for r in replies].count(LLMError) == 1
    assert sum(isinstance(r, Completion) for r in replies) == 4


@WAYS
def test_retry_after_is_kept_to(kind, perform):
    model = kind(LLMError("HTTP 429", retryable=True, retry_after=0.4))
    started = time.monotonic()
    (reply,) = perform(Calls(model, FAST), prompts(), ledger(seconds=5))
    assert reply.text == "data 0"
    assert 0.4 <= time.monotonic() - started < 0.8


@WAYS
@pytest.mark.parametrize("asked", [3.0, 3600.0])
def test_a_retry_after_beyond_the_deadline_fails_at_once(kind, perform, asked):
    model = kind(LLMError("HTTP 429", retryable=True, retry_after=asked))
    started = time.monotonic()
    (reply,) = perform(Calls(model, FAST), prompts(), ledger(seconds=2))
    assert str(reply) == "HTTP 429"
    assert time.monotonic() - started < 0.5
    assert len(model.timeouts) == 1


def test_an_hour_is_not_waited_for_without_a_deadline_either():
    model = Sync(LLMError("HTTP 429", retryable=True, retry_after=3600))
    started = time.monotonic()
    (reply,) = Calls(model, FAST).perform(prompts(), ledger())
    assert str(reply) == "HTTP 429"
    assert time.monotonic() - started < 0.5


def test_back_offs_are_drawn_and_grow():
    waits = []
    for _ in range(30):
        started = time.monotonic()
        settings = CallSettings(first_wait=0.01, longest_wait=0.01, attempts=2)
        Calls(Sync(DOWN), settings).perform(prompts(), ledger())
        waits.append(time.monotonic() - started)
    assert max(waits) - min(waits) > 0.003


@WAYS
def test_the_budget_counts_retries_and_ends_them(kind, perform):
    account = ledger(calls=2)
    (reply,) = perform(Calls(kind(*[DOWN] * 9), FAST), prompts(), account)
    assert str(reply) == "HTTP 500"  # what went wrong, not that it was not asked again
    assert account.usage.calls == 2
    (reply,) = perform(Calls(kind(), FAST), prompts(), account)
    assert "budget" in str(reply)
    assert account.usage.calls == 2
    assert account.usage.rounds == 1


@WAYS
def test_a_budget_smaller_than_the_round(kind, perform):
    account = ledger(calls=3)
    model = kind(seconds=0.01)
    replies = perform(Calls(model, FAST), prompts(10), account)
    assert sum(isinstance(r, Completion) for r in replies) == 3
    assert all("budget" in str(r) for r in replies if isinstance(r, LLMError))
    assert len(model.timeouts) == account.usage.calls == 3


@WAYS
def test_a_request_gets_no_more_time_than_the_answer_has(kind, perform):
    model = kind()
    perform(Calls(model, replace(FAST, timeout=30.0)), prompts(), ledger(seconds=2))
    perform(Calls(model, replace(FAST, timeout=0.5)), prompts(), ledger(seconds=2))
    assert 1.5 < model.timeouts[0] <= 1.9
    assert model.timeouts[1] == 0.5


@WAYS
def test_a_model_that_ignores_its_timeout_is_left_behind(kind, perform):
    account = ledger(seconds=0.4)
    calls = Calls(kind(seconds=1.0), FAST)
    started = time.monotonic()
    if perform is aperform:  # asyncio.run would wait for a thread; the answer need not

        async def timed():
            begun = time.monotonic()
            replies = await calls.aperform(prompts(2), account)
            return replies, time.monotonic() - begun

        replies, seconds = asyncio.run(timed())
    else:
        replies = perform(calls, prompts(2), account)
        seconds = time.monotonic() - started
    assert seconds < 0.4
    assert all("no reply within" in str(r) for r in replies)
    assert account.usage.calls == 2


@WAYS
def test_no_request_after_the_deadline(kind, perform):
    model = kind()
    (reply,) = perform(Calls(model, FAST), prompts(), ledger(seconds=-1))
    assert "deadline" in str(reply)
    assert not model.timeouts


@WAYS
def test_waiting_for_a_slot_ends_with_the_deadline(kind, perform):
    calls = Calls(kind(seconds=0.3), replace(FAST, concurrency=1))
    replies = perform(calls, prompts(4), ledger(seconds=0.75))
    assert sum(isinstance(r, Completion) for r in replies) == 2
    assert all(isinstance(r, Completion | LLMError) for r in replies)


@WAYS
def test_the_breaker_opens_probes_and_closes(kind, perform):
    settings = replace(FAST, breaker_failures=3, breaker_seconds=0.3, attempts=1)
    model = kind(*[DOWN] * 4)
    calls = Calls(model, settings)
    for _ in range(3):
        assert str(perform(calls, prompts(), ledger())[0]) == "HTTP 500"
    (reply,) = perform(calls, prompts(), ledger())
    assert "3 times in a row (HTTP 500)" in str(reply)
    assert not reply.retryable
    assert len(model.timeouts) == 3

    time.sleep(0.35)
    assert str(perform(calls, prompts(), ledger())[0]) == "HTTP 500"  # the probe fails: open again
    assert "in a row" in str(perform(calls, prompts(), ledger())[0])
    assert len(model.timeouts) == 4

    time.sleep(0.35)
    assert perform(calls, prompts(), ledger())[0].text == "data 0"
    assert all(isinstance(r, Completion) for r in perform(calls, prompts(8), ledger()))


@WAYS
def test_retries_end_when_the_breaker_opens(kind, perform):
    model = kind(*[DOWN] * 9)
    (reply,) = perform(Calls(model, replace(FAST, breaker_failures=2, attempts=9)), prompts(), ledger())
    assert str(reply) == "HTTP 500"
    assert len(model.timeouts) == 2


def test_only_one_request_probes_a_breaker_half_open():
    model = Sync(DOWN)
    calls = Calls(model, replace(FAST, breaker_failures=1, breaker_seconds=0.1, attempts=1))
    calls.perform(prompts(), ledger())
    time.sleep(0.15)
    model.seconds = 0.2
    replies = calls.perform(prompts(8), ledger())
    assert sum(isinstance(r, Completion) for r in replies) == 1
    assert len(model.timeouts) == 2


def test_failures_that_are_not_the_servers_do_not_open_the_breaker():
    model = Sync(*[LLMError("HTTP 400")] * 20)
    calls = Calls(model, replace(FAST, breaker_failures=2))
    for _ in range(20):
        calls.perform(prompts(), ledger())
    assert calls.perform(prompts(), ledger())[0].text == "data 0"

    slow = Sync(seconds=0.2)
    calls = Calls(slow, replace(FAST, breaker_failures=2, timeout=10.0))
    for _ in range(3):  # the answers' deadlines are at fault
        calls.perform(prompts(), ledger(seconds=0.2))
    assert calls.perform(prompts(), ledger())[0].text == "data 0"


@WAYS
def test_a_black_hole_opens_the_breaker_though_deadlines_are_short(kind, perform, monkeypatch):
    """Else every answer would wait for its whole deadline, for as long as the outage lasts."""
    monkeypatch.setattr("guardrail.llm.calls._FAIR", 0.1)
    model = kind(seconds=0.6)
    calls = Calls(model, replace(FAST, breaker_failures=2, timeout=10.0))
    for _ in range(2):
        assert "no reply within" in str(perform(calls, prompts(), ledger(seconds=0.3))[0])
    (reply,) = perform(calls, prompts(), ledger(seconds=0.3))
    assert "2 times in a row (no reply within" in str(reply)


@WAYS
def test_a_hiccup_under_all_requests_at_work_does_not_open_the_breaker(kind, perform):
    settings = CallSettings(first_wait=0.01, longest_wait=0.02)
    model = kind(*[DOWN] * settings.concurrency, seconds=0.01)
    replies = perform(Calls(model, settings), prompts(settings.concurrency), ledger())
    assert all(isinstance(r, Completion) for r in replies)


@WAYS
def test_a_rate_limit_that_says_when_does_not_open_the_breaker(kind, perform):
    busy = LLMError("HTTP 429", retryable=True, retry_after=0.01)
    replies = perform(Calls(kind(*[busy] * 8, seconds=0.01), FAST), prompts(8), ledger())
    assert all(isinstance(r, Completion) for r in replies)


def test_a_late_failure_of_an_earlier_state_counts_for_nothing():
    breaker = Breaker(1, 0.05)
    late = breaker.admit()
    old = late.__enter__()
    with breaker.admit() as ticket:
        ticket.answered = False
    time.sleep(0.06)
    with breaker.admit() as ticket:
        ticket.answered = True
    old.answered = False
    late.__exit__(None, None, None)
    assert not breaker.refuses


def test_cancelling_gives_everything_back():
    async def body():
        model = Async(DOWN)
        calls = Calls(model, replace(FAST, concurrency=2, breaker_failures=1, breaker_seconds=0.05, attempts=1))
        await calls.aperform(prompts(), ledger())
        await asyncio.sleep(0.06)
        model.seconds = 5.0
        account = ledger()
        for _ in range(5):  # each time a probe and a slot are held
            task = asyncio.create_task(calls.aperform(prompts(), account))
            await asyncio.sleep(0.02)
            assert model.working == 1
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert model.working == 0
        model.seconds = 0.0
        assert [type(r) for r in await calls.aperform(prompts(), ledger())] == [Completion]
        replies = await calls.aperform(prompts(6), ledger())
        assert all(isinstance(r, Completion) for r in replies)
        assert account.usage.calls == 5

    asyncio.run(body())


def test_cancelling_a_round_ends_its_requests_and_its_waits():
    async def body():
        model = Async(*[LLMError("HTTP 429", retryable=True, retry_after=30.0)] * 4, seconds=0.01)
        task = asyncio.create_task(Calls(model, FAST).aperform(prompts(4), ledger()))
        await asyncio.sleep(0.1)
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - started < 0.2
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(body())


class _SecretError(Exception):
    def __init__(self):
        super().__init__("key sk-123 refused for text 'the answer'")


@WAYS
@pytest.mark.parametrize("error", [_SecretError(), StopIteration("sk-123"), RuntimeError("sk-123")])
def test_foreign_errors_are_named_and_not_quoted(kind, perform, error):
    (reply,) = perform(Calls(kind(error), FAST), prompts(), ledger())
    assert isinstance(reply, LLMError)
    assert "sk-123" not in repr(reply)
    assert (reply.__cause__, reply.__context__, reply.__traceback__) == (None, None, None)
    if not isinstance(error, StopIteration):
        assert str(reply) == type(error).__name__


@WAYS
def test_other_kinds_of_failure(kind, perform):
    replies = [
        perform(Calls(kind(step), replace(FAST, attempts=1)), prompts(), ledger())[0]
        for step in (EngineError("no licence"), ConnectionResetError(), TimeoutError(), "not a completion")
    ]
    assert [str(r) for r in replies] == [
        "no licence",
        "ConnectionResetError",
        "TimeoutError",
        "the model object returned str instead of a Completion",
    ]
    assert [r.retryable for r in replies] == [False, True, True, False]


@WAYS
def test_the_callers_mistakes_pass_through(kind, perform):
    with pytest.raises(UsageError, match="no such model"):
        perform(Calls(kind(UsageError("no such model")), FAST), prompts(3), ledger())


@WAYS
def test_what_a_failure_cost_is_counted(kind, perform):
    refusal = LLMError("refused", spent=Completion(text="", input_tokens=7, output_tokens=2, calls=2))
    account = ledger()
    perform(Calls(kind(refusal), FAST), prompts(), account)
    usage = account.usage
    assert (usage.calls, usage.retries, usage.input_tokens, usage.output_tokens) == (2, 1, 7, 2)
    assert usage.cost is None


def test_no_counts_are_no_tokens():
    account = ledger(prices=Prices(input=1.0, output=1.0))
    Calls(Sync(Completion(text="x")), FAST).perform(prompts(), account)
    assert (account.usage.input_tokens, account.usage.cost) == (0, 0.0)


def test_cached_input_costs_as_other_input_where_it_has_no_price():
    completion = Completion(text="", input_tokens=1_000_000, cached_tokens=400_000)
    assert Prices(input=3.0, output=0.0).of(completion) == pytest.approx(3.0)
    assert Prices(input=3.0, output=0.0, cached=0.0).of(completion) == pytest.approx(1.8)
    assert Prices(input=3.0, output=0.0, cached=0.0).of(replace(completion, cached_tokens=10**9)) == 0.0


def test_a_model_that_can_only_be_awaited_says_what_to_call():
    calls = Calls(Async(), FAST)
    with pytest.raises(UsageError, match=r"guard\.acheck"):
        calls.perform(prompts(), ledger())


def test_what_is_no_model_is_refused():
    class Wrong:
        model = "x"

        async def complete(self, prompt, *, timeout):  # noqa: ASYNC109
            raise AssertionError

    with pytest.raises(UsageError, match="acomplete"):
        Calls(Wrong())
    with pytest.raises(UsageError, match="OpenAILLM"):
        Calls("gpt")


@pytest.mark.parametrize(
    "wrong",
    [
        {"timeout": 0},
        {"timeout": float("nan")},
        {"attempts": 0},
        {"attempts": 2.0},
        {"concurrency": 0},
        {"first_wait": -1},
        {"max_calls": -1},
        {"breaker_failures": True},
        {"breaker_seconds": 0},
    ],
)
def test_wrong_settings_are_named(wrong):
    (name,) = wrong
    with pytest.raises(ConfigurationError, match=name):
        CallSettings(**wrong)


def test_wrong_prices_are_named():
    with pytest.raises(ConfigurationError, match="cached"):
        Prices(input=1.0, output=1.0, cached=-1.0)


def two_rounds(log):
    try:
        (first,) = yield prompts(1)
        second = yield prompts(2)
        return [first.text, *(r.text for r in second)]
    finally:
        log.append("closed")


def test_steps_are_driven_to_their_result():
    account = ledger()
    log = []
    assert Calls(Sync(), FAST).run(two_rounds(log), account) == ["data 0", "data 0", "data 1"]
    assert asyncio.run(Calls(Async(), FAST).arun(two_rounds(log), account)) == ["data 0", "data 0", "data 1"]
    assert log == ["closed", "closed"]
    assert (account.usage.calls, account.usage.rounds) == (6, 4)


def test_steps_that_wait_for_a_cache_leave_the_loop_free():
    def slow():
        time.sleep(0.3)
        yield prompts(1)
        time.sleep(0.3)
        return "done"

    async def body():
        task = asyncio.create_task(Calls(Async(), FAST).arun(slow(), ledger()))
        ticks = 0
        while not task.done():
            await asyncio.sleep(0.01)
            ticks += 1
        assert await task == "done"
        task = asyncio.create_task(Calls(Async(), FAST).arun(slow(), ledger()))
        await asyncio.sleep(0.05)
        task.cancel()  # while a step is at work
        with pytest.raises(asyncio.CancelledError):
            await task
        return ticks

    assert asyncio.run(body()) > 20


def test_steps_are_closed_when_they_are_left():
    log = []
    with pytest.raises(UsageError):
        Calls(Async(), FAST).run(two_rounds(log), ledger())
    assert log == ["closed"]

    async def body():
        task = asyncio.create_task(Calls(Async(seconds=5), FAST).arun(two_rounds(log), ledger()))
        await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(body())
    assert log == ["closed", "closed"]


@WAYS
def test_every_request_has_a_span_without_content(kind, perform, watched):
    with observed(watched.settings, "policy", "llm"):
        perform(Calls(kind(DOWN), FAST), prompts(3), ledger())
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


def test_threads_know_the_context_of_their_answer():
    seen = []
    tenant = contextvars.ContextVar("tenant", default="nobody")

    class Reading(Sync):
        def complete(self, prompt, *, timeout):
            seen.append(tenant.get())
            return super().complete(prompt, timeout=timeout)

    tenant.set("acme")
    Calls(Reading(), FAST).perform(prompts(5), ledger())
    asyncio.run(Calls(Reading(), FAST).aperform(prompts(2), ledger()))
    assert seen == ["acme"] * 7


def test_a_loop_that_ended_is_not_kept():
    calls = Calls(Async(seconds=0.01), replace(FAST, concurrency=1))
    seen = []

    async def body():
        seen.append(weakref.ref(asyncio.get_running_loop()))
        await calls.aperform(prompts(3), ledger())  # some of them wait, so the semaphore knows its loop

    for _ in range(5):
        asyncio.run(body())
    gc.collect()
    assert [loop() for loop in seen] == [None] * 5


def test_a_request_that_hangs_does_not_hold_up_the_exit():
    code = """
import time
from guardrail.llm.calls import Calls, CallSettings, Ledger
from guardrail.llm.protocol import Prompt
class Hanging:
    model = "x"
    def complete(self, prompt, *, timeout):
        time.sleep(60)
replies = Calls(Hanging(), CallSettings(timeout=0.1, attempts=1)).perform(
    (Prompt(identity="i", system="s", user="u"),) * 3, Ledger(None, None, None))
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
from guardrail.llm.calls import Calls
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
