"""Guards and streams of both kinds, as programs see them."""

from __future__ import annotations

import asyncio

import pytest

from guardrail import Guard, Policy, UsageError
from guardrail.check.drivers import arun, run
from guardrail.errors import ConfigurationError
from guardrail.testing import FakeEngine
from guardrail.wrap.kinds import END, Regenerators, Streams, guarded_run, read_guard, read_hide_from, read_mode, same


class Items:
    """Numbers, and whether they were closed."""

    def __init__(self, asynchronous):
        self.closed = 0
        self.items = self._anumbers() if asynchronous else self._numbers()

    def _numbers(self):
        try:
            yield from (1, 2, 3)
        finally:
            self.closed += 1

    async def _anumbers(self):
        try:
            for number in (1, 2, 3):
                yield number
        finally:
            self.closed += 1


def doubled(streams, items, until=END):
    while (number := (yield streams.next(items))) is not until:
        yield f"{number * 2}"


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("until", [END, 2])
def test_what_a_program_yields_is_given_and_what_it_opened_is_closed(asynchronous, until):
    """Also where it ends before its source does."""
    source, streams = Items(asynchronous), Streams(asynchronous)
    given = streams.given(doubled(streams, source.items, until), source.items)

    async def collected():
        return [each async for each in given]

    found = asyncio.run(collected()) if asynchronous else list(given)
    assert found == (["2", "4", "6"] if until is END else ["2"])
    assert source.closed == 1


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_stream_that_is_left_early_closes_what_was_opened(asynchronous):
    """The last first."""
    source, streams = Items(asynchronous), Streams(asynchronous)
    given = streams.given(doubled(streams, source.items), source.items)

    async def left():
        assert await anext(given) == "2"
        await given.aclose()

    if asynchronous:
        asyncio.run(left())
    else:
        assert next(given) == "2"
        given.close()
    assert source.closed == 1


def test_a_program_that_answers_again_serves_both_calls_of_a_guard():
    """Guard.run calls it, Guard.arun awaits it."""
    guard = Guard(policy=Policy(actions={"unsupported": "regenerate"}), engine=FakeEngine({"duke": "unsupported"}))

    def here(feedback):
        return "The garage opens at 6:00." if feedback.attempt else ""

    async def awaited(feedback):
        return here(feedback)

    def answering(call):
        def program(feedback):
            return (yield same(call, feedback))

        return Regenerators.of(program)

    def checked(call):
        return (yield guarded_run(guard, "A duke built it.", ["The garage opens at 6:00."], answering(call)))

    found = run(checked(here)), asyncio.run(arun(checked(awaited)))
    assert [(each.text, each.attempts) for each in found] == [("The garage opens at 6:00.", 2)] * 2


def test_options_are_read_once():
    """And what is wrong with them is said."""
    assert (read_mode("buffer"), read_hide_from("all")) == ("buffer", "all")
    with pytest.raises(UsageError, match=r"guard must be a Guard, got str. Write Guard\(\)."):
        read_guard("strict", "Guard()")
    with pytest.raises(UsageError, match=r"unknown mode 'sentences'\. Did you mean 'sentence'"):
        read_mode("sentences")
    with pytest.raises(ConfigurationError, match="hide_from must be one of 'streams', 'all', got 'nobody'"):
        read_hide_from("nobody", ("streams", "all"))
