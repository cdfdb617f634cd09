"""How many requests are at work at once."""

import asyncio
import gc
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from guardrail.engines.llm.protocol import Completion
from guardrail.engines.llm.requests.calls import Calls, CallSettings

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=60.0)


def test_no_more_requests_at_once_than_allowed(kind, perform, prompts, budget):
    model = kind(seconds=0.01, together=3)
    perform(Calls(model, replace(FAST, concurrency=3)), prompts(12), budget())
    assert model.most == 3


def test_the_bound_holds_over_all_answers(prompts, budget, blocking, awaited):
    model = blocking(seconds=0.01, together=3)
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

    amodel = awaited(seconds=0.01, together=3)
    acalls = Calls(amodel, replace(FAST, concurrency=3))
    asyncio.run(answers())
    assert amodel.most == 3


def test_waiting_for_a_slot_ends_with_the_deadline(kind, perform, prompts, budget, forever, until):
    """Another answer has the only one."""
    model = kind(seconds=forever)
    calls = Calls(model, replace(FAST, concurrency=1))

    def in_threads():
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(calls.perform, prompts(), budget())
            while not model.working:
                time.sleep(0.005)
            replies = calls.perform(prompts(3), budget(seconds=0.3))
            model.release.set()
            return replies, other.result()

    async def in_tasks():
        other = asyncio.create_task(calls.aperform(prompts(), budget()))
        await until(lambda: model.working)
        replies = await calls.aperform(prompts(3), budget(seconds=0.3))
        model.release.set()
        return replies, await other

    replies, others = in_threads() if perform is Calls.perform else asyncio.run(in_tasks())
    assert all("all requests that may run at once were at work" in str(r) for r in replies)
    assert [type(r) for r in others] == [Completion]


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
