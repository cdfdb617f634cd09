"""Checks within a stream take their turn like all others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from guardrail.service import Service, Settings
from guardrail.service.errors import TooLarge
from guardrail.service.proxy.pooled import PooledGuard
from guardrail.streaming import Finished, aguarded_stream
from guardrail.types import GuardedAnswer, Passage
from tests.support.service_engines import GatedEngine
from tests.support.services import ENGINES

PASSAGES = (Passage(text="The dam is 64 metres high.", id="1"),)


async def streamed(service: Service, text: str) -> GuardedAnswer:
    """What is found of a text that comes in two pieces."""

    async def pieces() -> AsyncIterator[str]:
        yield text[:10]
        yield text[10:]

    pooled = PooledGuard(service.guard(), service, PASSAGES)
    async for event in aguarded_stream(pooled, pieces(), PASSAGES, mode="sentence"):
        if isinstance(event, Finished):
            return event.guarded
    raise AssertionError("the stream did not finish")


def service_with(engine: str, **limits: int) -> Service:
    return Service(Settings(guards={"default": {"engine": ENGINES + engine}}, limits=limits))


@pytest.mark.parametrize("engine", ["fake", "awaited"])
def test_the_report_is_that_of_the_guard(engine: str) -> None:
    service, text = service_with(engine), "The dam is high. It is wrong."
    found = asyncio.run(streamed(service, text))
    expected = asyncio.run(service.guard().arun(text, PASSAGES))
    assert [f.verdict for f in found.report.findings] == [f.verdict for f in expected.report.findings]
    assert (found.action, found.text) == (expected.action, expected.text)


def test_while_it_is_checked_it_has_a_turn_and_gives_it_back(gate: GatedEngine) -> None:
    async def main() -> tuple[int, bool]:
        service = service_with("gated", threads=1)
        task = asyncio.ensure_future(streamed(service, "Please wait here. It is so."))
        await asyncio.to_thread(gate.wait_until_entered)
        running = service.pool.threads.running
        gate.open.set()
        await task
        return running, service.pool.threads.idle

    assert asyncio.run(main()) == (1, True)


def test_more_passages_than_the_limit_are_refused() -> None:
    service = service_with("fake", passages=1)
    pooled = PooledGuard(service.guard(), service, PASSAGES * 2)

    async def main() -> None:
        await pooled_check(pooled)

    with pytest.raises(TooLarge, match="2 passages, and the limit is 1"):
        asyncio.run(main())


async def pooled_check(pooled: PooledGuard) -> None:
    from guardrail.check.drivers import arun

    await arun(pooled.checking("It is so.", PASSAGES, question=None, policy=None, engine=None))
