"""Where deltas and passages come from, and who stops reading: nothing is left open or unread."""

from __future__ import annotations

import asyncio

import pytest

from guardrail import Guard, UsageError
from guardrail.streaming import Delta, Finished, aguarded_stream, guarded_stream
from guardrail.streaming.source import AHEAD
from guardrail.testing import FakeEngine


def test_passages_may_come_late_and_are_asked_for_once(passages, dam, source_of, words, joined, collect):
    asked = []

    def late():
        asked.append(source.read)
        return passages

    source = source_of(words(dam))
    events = collect(Guard(engine=FakeEngine()), source.sync(), late, mode="sentence")
    assert joined(events) == dam
    assert len(asked) == 1
    assert 9 < asked[0] < len(source.deltas)


def test_a_coroutine_function_gives_passages_to_an_async_stream_only(
    passages, dam, source_of, words, joined, collect, acollect
):
    async def late():
        return passages

    events = asyncio.run(acollect(Guard(engine=FakeEngine()), source_of(words(dam)).stream(), late, mode="sentence"))
    assert joined(events) == dam
    with pytest.raises(UsageError, match="astream"):
        collect(Guard(engine=FakeEngine()), words(dam), late)


@pytest.mark.parametrize("mode", ["buffer", "sentence", "observe"])
def test_a_callable_without_passages_is_an_error(mode, dam, source_of, words, collect):
    source = source_of(words(dam))
    with pytest.raises(UsageError, match="passages must be a list"):
        collect(Guard(engine=FakeEngine()), source.sync(), lambda: None, mode=mode)
    assert source.closed


def test_wrong_arguments_are_errors_at_once(passages, dam, words, collect):
    guard = Guard(engine=FakeEngine())
    with pytest.raises(UsageError, match="Did you mean 'sentence'"):
        guarded_stream(guard, [], passages, mode="sentences")
    with pytest.raises(UsageError, match="iterable of str"):
        guarded_stream(guard, dam, passages)
    with pytest.raises(UsageError, match="async iterable"):
        aguarded_stream(guard, words(dam), passages)
    with pytest.raises(UsageError, match="deltas must be str, got int"):
        collect(guard, ["a", 1], mode="sentence")


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
