"""The circuit breaker: what opens it, what does not, and how it closes."""

import asyncio
import threading
from dataclasses import replace
from types import SimpleNamespace

from guardrail.engines.llm.protocol import Completion, LLMError
from guardrail.engines.llm.requests.breaker import Breaker
from guardrail.engines.llm.requests.budget import Budget
from guardrail.engines.llm.requests.calls import Calls, CallSettings

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=60.0)
DOWN = LLMError("HTTP 500", retryable=True)


def test_the_breaker_opens_probes_and_closes(kind, perform, prompts, budget, pass_time):
    settings = replace(FAST, breaker_failures=3, breaker_seconds=30.0, attempts=1)
    model = kind(*[DOWN] * 4)
    calls = Calls(model, settings)
    for _ in range(3):
        assert str(perform(calls, prompts(), budget())[0]) == "HTTP 500"
    (reply,) = perform(calls, prompts(), budget())
    assert "3 times in a row (HTTP 500)" in str(reply)
    assert not reply.retryable
    assert len(model.timeouts) == 3

    pass_time(31)
    assert str(perform(calls, prompts(), budget())[0]) == "HTTP 500"  # the probe fails: open again
    assert "in a row" in str(perform(calls, prompts(), budget())[0])
    assert len(model.timeouts) == 4

    pass_time(31)
    assert perform(calls, prompts(), budget())[0].text == "data 0"
    assert all(isinstance(r, Completion) for r in perform(calls, prompts(8), budget()))


def test_retries_end_when_the_breaker_opens(kind, perform, prompts, budget):
    model = kind(*[DOWN] * 9)
    (reply,) = perform(Calls(model, replace(FAST, breaker_failures=2, attempts=9)), prompts(), budget())
    assert str(reply) == "HTTP 500"
    assert len(model.timeouts) == 2


def test_only_one_request_probes_a_breaker_half_open(prompts, budget, awaited, pass_time):
    """Of tasks, whose first one is at work when the others come."""
    model = awaited(DOWN)
    calls = Calls(model, replace(FAST, breaker_failures=1, breaker_seconds=30.0, attempts=1))
    asyncio.run(calls.aperform(prompts(), budget()))
    pass_time(31)
    model.seconds = 0.1
    replies = asyncio.run(calls.aperform(prompts(8), budget()))
    assert sum(isinstance(r, Completion) for r in replies) == 1
    assert len(model.timeouts) == 2


def test_threads_do_not_pass_beside_the_probe(pass_time):
    breaker = Breaker(1, 30.0)
    with breaker.admit() as ticket:
        ticket.answered = False
    pass_time(31)
    refused = []

    def ask():
        try:
            with breaker.admit():
                pass
        except LLMError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    with breaker.admit():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(refused) == 8
    assert all("until a trial request is answered" in text for text in refused)


def test_failures_that_are_not_the_servers_do_not_open_the_breaker(prompts, budget, blocking):
    model = blocking(*[LLMError("HTTP 400")] * 20)
    calls = Calls(model, replace(FAST, breaker_failures=2))
    for _ in range(20):
        calls.perform(prompts(), budget())
    assert calls.perform(prompts(), budget())[0].text == "data 0"

    slow = blocking(seconds=0.2)
    calls = Calls(slow, replace(FAST, breaker_failures=2))
    for _ in range(3):  # the answers' deadlines are at fault
        calls.perform(prompts(), budget(seconds=0.2))
    assert calls.perform(prompts(), budget())[0].text == "data 0"


def test_a_black_hole_opens_the_breaker_though_deadlines_are_short(kind, perform, monkeypatch, prompts, forever):
    """Else every answer would wait for its whole deadline, for as long as the outage lasts."""
    monkeypatch.setattr("guardrail.engines.llm.requests.calls._FAIR", 0.1)
    # The answer's clock stands still: else a slow machine would have spent some of its time before it asks.
    monkeypatch.setattr("guardrail.engines.llm.requests.budget.time", SimpleNamespace(monotonic=lambda: 1000.0))
    calls = Calls(kind(seconds=forever), replace(FAST, breaker_failures=2, attempts=1))
    for _ in range(2):
        assert "no reply within" in str(perform(calls, prompts(), Budget(1000.3, None, None))[0])
    (reply,) = perform(calls, prompts(), Budget(1000.3, None, None))
    assert "2 times in a row (no reply within" in str(reply)


def test_a_hiccup_under_all_requests_at_work_does_not_open_the_breaker(kind, perform, prompts, budget):
    # One prompt may meet several of the failures: a quick retry comes before another's first request.
    settings = CallSettings(first_wait=0.01, longest_wait=0.02, attempts=9)
    model = kind(*[DOWN] * settings.concurrency, together=settings.concurrency)
    replies = perform(Calls(model, settings), prompts(settings.concurrency), budget())
    assert all(isinstance(r, Completion) for r in replies)


def test_a_rate_limit_that_says_when_does_not_open_the_breaker(kind, perform, prompts, budget):
    busy = LLMError("HTTP 429", retryable=True, retry_after=0.01)
    replies = perform(Calls(kind(*[busy] * 8, together=8), FAST), prompts(8), budget())
    assert all(isinstance(r, Completion) for r in replies)


def test_a_late_failure_of_an_earlier_state_counts_for_nothing(pass_time):
    breaker = Breaker(1, 30.0)
    late = breaker.admit()
    old = late.__enter__()
    with breaker.admit() as ticket:
        ticket.answered = False
    pass_time(31)
    with breaker.admit() as ticket:
        ticket.answered = True
    old.answered = False
    late.__exit__(None, None, None)
    assert not breaker.refuses
