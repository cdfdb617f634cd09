"""Steps that ask in rounds: driven to their result, off the loop, and closed when they are left."""

import asyncio
import time

import pytest

from guardrail import UsageError
from guardrail.engines.llm.requests.calls import Calls, CallSettings

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=2.0)


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


def test_steps_that_wait_for_a_cache_leave_the_loop_free(prompts, budget, awaited):
    def slow():
        time.sleep(0.3)
        yield prompts(1)
        time.sleep(0.3)
        return "done"

    async def body():
        task = asyncio.create_task(Calls(awaited(), FAST).arun(slow(), budget()))
        ticks = 0
        while not task.done():
            await asyncio.sleep(0.01)
            ticks += 1
        assert await task == "done"
        task = asyncio.create_task(Calls(awaited(), FAST).arun(slow(), budget()))
        await asyncio.sleep(0.05)
        task.cancel()  # while a step is at work
        with pytest.raises(asyncio.CancelledError):
            await task
        return ticks

    assert asyncio.run(body()) > 20


def test_steps_are_closed_when_they_are_left(prompts, budget, awaited):
    log = []
    with pytest.raises(UsageError):
        Calls(awaited(), FAST).run(two_rounds(prompts, log), budget())
    assert log == ["closed"]

    async def body():
        task = asyncio.create_task(Calls(awaited(seconds=5), FAST).arun(two_rounds(prompts, log), budget()))
        await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(body())
    assert log == ["closed", "closed"]
