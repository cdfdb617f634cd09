"""What is tried again, when, and how often an answer may ask at all."""

import asyncio
import subprocess
import sys

import pytest

from guardrail.engines.llm.protocol import Completion, LLMError
from guardrail.engines.llm.requests.calls import Calls, CallSettings
from guardrail.telemetry import observe
from tests.support.retry_waits import noted_waits

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=60.0)


DOWN = LLMError("HTTP 500", retryable=True)


def test_failures_that_may_pass_are_tried_again(kind, perform, prompts, budget):
    account = budget()
    (reply,) = perform(Calls(kind(DOWN, DOWN), FAST), prompts(), account)
    assert reply.text == "data 0"
    assert (account.usage.calls, account.usage.retries, account.usage.rounds) == (3, 2, 1)


def test_other_failures_are_not_tried_again(kind, perform, prompts, budget):
    account = budget()
    (reply,) = perform(Calls(kind(LLMError("HTTP 401")), FAST), prompts(), account)
    assert isinstance(reply, LLMError)
    assert str(reply) == "HTTP 401"
    assert account.usage.calls == 1


def test_attempts_end(kind, perform, prompts, budget):
    account = budget()
    (reply,) = perform(Calls(kind(*[DOWN] * 9), FAST), prompts(), account)
    assert str(reply) == "HTTP 500"
    assert account.usage.calls == 3


def test_one_failure_leaves_the_others(kind, perform, prompts, budget):
    replies = perform(Calls(kind(LLMError("HTTP 400")), FAST), prompts(5), budget())
    assert [type(r) for r in replies].count(LLMError) == 1
    assert sum(isinstance(r, Completion) for r in replies) == 4


def test_a_panic_costs_one_request_and_is_counted_as_an_error(kind, perform, prompts, budget, watched):
    panic = type("PanicException", (BaseException,), {})
    with observe(watched.settings, "policy", "llm"):
        replies = perform(Calls(kind(panic("a text")), FAST), prompts(5), budget())
    assert [str(r) for r in replies if isinstance(r, LLMError)] == ["a library panicked"]
    assert watched.total("guardrail.judge.calls", outcome="error") == 1
    assert watched.total("guardrail.judge.calls", outcome="ok") == 4


@pytest.fixture
def waits(monkeypatch):
    return noted_waits(monkeypatch)


def test_retry_after_is_kept_to(kind, perform, prompts, budget, waits):
    model = kind(LLMError("HTTP 429", retryable=True, retry_after=30.0))
    (reply,) = perform(Calls(model, FAST), prompts(), budget(seconds=60))
    assert reply.text == "data 0"
    [wait] = waits
    assert 30.0 <= wait <= 30.0 + FAST.first_wait


@pytest.mark.parametrize("asked", [50.0, 3600.0])
def test_a_retry_after_beyond_the_deadline_fails_at_once(kind, perform, asked, prompts, budget, waits):
    model = kind(LLMError("HTTP 429", retryable=True, retry_after=asked))
    (reply,) = perform(Calls(model, FAST), prompts(), budget(seconds=40))
    assert str(reply) == "HTTP 429"
    assert (len(model.timeouts), waits) == (1, [])


def test_an_hour_is_not_waited_for_without_a_deadline_either(prompts, budget, blocking, waits):
    model = blocking(LLMError("HTTP 429", retryable=True, retry_after=3600))
    (reply,) = Calls(model, FAST).perform(prompts(), budget())
    assert str(reply) == "HTTP 429"
    assert (len(model.timeouts), waits) == (1, [])


def test_back_offs_are_drawn_and_grow(prompts, budget, awaited, waits):
    settings = CallSettings(first_wait=10.0, longest_wait=15.0, attempts=4)
    for _ in range(30):
        asyncio.run(Calls(awaited(*[DOWN] * 3), settings).aperform(prompts(), budget()))
    first, second, third = waits[0::3], waits[1::3], waits[2::3]
    assert len(set(waits)) == 90
    assert max(first) <= 10.0 < max(second) <= 15.0
    assert 10.0 < max(third) <= 15.0


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
