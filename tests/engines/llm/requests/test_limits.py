"""How many requests are at work at once."""

import asyncio
import gc
import threading
import weakref
from dataclasses import replace

from guardrail.engines.llm.protocol import Completion, LLMError
from guardrail.engines.llm.requests.calls import Calls, CallSettings

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=2.0)


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


def test_waiting_for_a_slot_ends_with_the_deadline(kind, perform, prompts, budget):
    calls = Calls(kind(seconds=0.3), replace(FAST, concurrency=1))
    replies = perform(calls, prompts(4), budget(seconds=0.75))
    assert sum(isinstance(r, Completion) for r in replies) == 2
    assert all(isinstance(r, Completion | LLMError) for r in replies)


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
