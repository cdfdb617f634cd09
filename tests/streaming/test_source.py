"""Where deltas and passages come from, and who stops reading: nothing is left open or unread."""

from __future__ import annotations

import asyncio

import pytest

from guardrail import Guard
from guardrail.streaming import Delta, Finished, aguarded_stream, guarded_stream
from guardrail.streaming.source import AHEAD
from guardrail.testing import FakeEngine


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_an_error_of_the_source_passes_and_unchecked_text_does_not(mode, passages, dam, source_of, words, joined):
    text = dam[: dam.index("secretly")]
    guard = Guard(engine=FakeEngine())

    def sync():
        for event in guarded_stream(guard, source_of(words(text), KeyError("gone")).sync(), passages, mode=mode):
            seen.append(event)  # noqa: PERF402  see below

    async def awaited():
        async for event in aguarded_stream(
            guard, source_of(words(text), KeyError("gone")).stream(), passages, mode=mode
        ):
            seen.append(event)  # noqa: PERF401  what came before the error counts

    for run in (sync, lambda: asyncio.run(awaited())):
        seen: list[object] = []
        with pytest.raises(KeyError, match="gone"):
            run()
        assert joined(seen) in (("", dam[: dam.index(" Divers")]) if mode == "sentence" else ("",))
        assert not any(isinstance(e, Finished) for e in seen)


def test_a_consumer_that_stops_closes_the_source(passages, dam, source_of, words):
    source = source_of(words(dam))
    deltas = source.sync()  # held here, so that nobody else closes it
    stream = guarded_stream(Guard(engine=FakeEngine()), deltas, passages, mode="sentence")
    next(stream)
    assert not source.closed
    stream.close()
    assert source.closed


def test_an_async_consumer_that_stops_closes_the_source_and_leaves_no_task(passages, dam, source_of, words):
    async def scenario(how):
        source = source_of(words(dam) * 50)
        stream = aguarded_stream(Guard(engine=FakeEngine(seconds=0.02)), source.stream(), passages, mode="sentence")
        if how == "never started":
            await stream.aclose()
        elif how == "closed":
            await anext(stream)
            await stream.aclose()
        else:
            task = asyncio.create_task(_exhaust(stream))
            await asyncio.sleep(0.03)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert source.closed or how == "never started"
        assert asyncio.all_tasks() == {asyncio.current_task()}

    for how in ("closed", "cancelled", "never started"):
        asyncio.run(scenario(how))


async def _exhaust(stream):
    return [event async for event in stream]


def test_text_is_read_on_while_some_is_checked_and_checked_in_batches(passages, dam, source_of, words):
    async def scenario():
        source = source_of(words(dam + " " + dam.replace("Larkmoor", "Fennick").replace("euros", "francs")))
        engine = FakeEngine(seconds=0.1)
        stream = aguarded_stream(Guard(engine=engine), source.stream(), passages, mode="sentence")
        return source, engine, [source.read async for event in stream if isinstance(event, Delta)]

    source, engine, progress = asyncio.run(scenario())
    assert progress[0] == len(source.deltas)  # all was read during the first check
    assert len(engine.calls) <= 3
    assert len(engine.calls[0].segments) < 3


def test_a_slow_consumer_slows_the_source(passages, source_of):
    async def scenario():
        source = source_of(["The lake is blue and deep. "] * 5_000)
        stream = aguarded_stream(Guard(engine=FakeEngine()), source.stream(), passages, mode="observe")
        await anext(stream)
        await asyncio.sleep(0.2)
        read = source.read
        await stream.aclose()
        return read

    assert asyncio.run(scenario()) <= AHEAD + 2
