"""Decorated generator functions."""

from __future__ import annotations

import asyncio

import pytest

from guardrail import UsageError
from guardrail.streaming import Delta
from guardrail.wrap.function import guarded
from tests.support.guarded_functions import PASSAGES, RAW, RIGHT, guard


@pytest.mark.parametrize("mode", ["sentence", "observe"])
def test_a_generator_function_streams_in_the_mode_it_was_given(mode):
    """In sentence mode the checked sentence leaves before the last delta is made; observe says that it is unchecked."""
    made = []

    def slow(question):
        yield PASSAGES
        for piece in ("The dam is 64 metres high. ", *["It was opened in 1963. "] * 8, "Rita Halloway built it."):
            made.append(piece)
            yield piece

    stream = guarded(guard("block"), mode=mode)(slow)("?")
    first = next(event for event in stream if isinstance(event, Delta))
    assert len(made) < 10
    assert first.verified == (mode == "sentence")
    text = first.text + "".join(event.text for event in stream if isinstance(event, Delta))
    assert (RAW in text) == (mode == "observe")


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_stream_that_is_closed_closes_the_function(asynchronous):
    """Its own cleanup runs."""
    ended = []

    def held(question):
        try:
            yield PASSAGES
            yield "The dam is 64 metres high. It was opened in 1963. And"
            yield " so on."
        finally:
            ended.append(True)

    async def aheld(question):
        for item in (h := held(question)):
            try:
                yield item
            except GeneratorExit:
                h.close()
                raise

    if asynchronous:

        async def some():
            stream = guarded(guard(), mode="observe")(aheld)("?")
            await anext(stream)
            await stream.aclose()

        asyncio.run(some())
    else:
        stream = guarded(guard(), mode="observe")(held)("?")
        next(stream)
        stream.close()
    assert ended == [True]


def test_passages_are_yielded_once():
    """A second list would be ignored by those who check as they go."""

    def twice():
        yield PASSAGES
        yield RIGHT
        yield PASSAGES

    with pytest.raises(UsageError, match="after its passages"):
        list(guarded(guard())(twice)())
