"""What a stream asks of others: passages, which may come late."""

from __future__ import annotations

import asyncio

import pytest

from guardrail import Guard, UsageError
from guardrail.streaming import aguarded_stream, guarded_stream
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
