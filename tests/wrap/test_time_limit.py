"""A limit on how long what is wrapped may take to answer."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from guardrail import ConfigurationError, EngineTimeout
from guardrail.check.drivers import Work, arun, run
from guardrail.wrap.time_limit import NoAnswerInTime, before, read_seconds, within


def program(work):
    return (yield work)


def test_work_that_is_done_in_time_is_what_it_comes_to():
    """Sync and async, with a limit and without."""

    async def awaited():
        return "awaited"

    for seconds in (None, 60.0):
        work = within(seconds, Work(lambda: "here", awaited))
        assert run(program(work)) == "here"
        assert asyncio.run(arun(program(work))) == "awaited"


def test_work_that_hangs_is_given_up():
    """With a word on how long it had."""
    end = Event()

    async def awaited():
        await asyncio.sleep(60)

    work = within(0.05, Work(lambda: end.wait(60), awaited))
    with pytest.raises(NoAnswerInTime, match=r"no answer within 0\.05 s"):
        run(program(work))
    with pytest.raises(NoAnswerInTime, match=r"no answer within 0\.05 s"):
        asyncio.run(arun(program(work)))
    end.set()


def test_an_error_of_the_work_is_its_own():
    """A timeout of its own is no end of our time."""

    def late():
        raise EngineTimeout("the database is slow")

    with pytest.raises(EngineTimeout, match="the database") as caught:
        run(program(within(60.0, Work(late, late))))
    assert not isinstance(caught.value, NoAnswerInTime)


def test_without_a_deadline_the_work_is_left_as_it_is():
    """No thread is started."""
    work = Work(lambda: 1, lambda: 1)
    assert before(None, work, None) is work


@pytest.mark.parametrize("given", [0, -1, "5", True, float("nan")])
def test_seconds_are_positive(given):
    """The message names the option."""
    with pytest.raises(ConfigurationError, match="answer_timeout must be positive seconds"):
        read_seconds(given)
