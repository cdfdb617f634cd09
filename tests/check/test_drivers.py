"""The drivers: what a program yields is done here or awaited, and what goes wrong is raised inside it."""

from __future__ import annotations

import asyncio
import threading

import pytest

from guardrail import UsageError
from guardrail.check.drivers import Work, aiterate, arun, either, iterate, maybe_async, pure, run


def double(number):
    return 2 * number


async def adouble(number):
    await asyncio.sleep(0)
    return 2 * number


def fails(error):
    raise error


async def afails(error):
    raise error


BOTH = [run, lambda program: asyncio.run(arun(program)), lambda program: asyncio.run(arun(program, in_threads=True))]
both = pytest.mark.parametrize("drive", BOTH, ids=["run", "arun", "in threads"])


@both
def test_a_program_is_sent_what_came_of_its_work_and_returns(drive):
    def program():
        first = yield from either(double, adouble, 1)
        second = yield from pure(double, first)
        return first, second

    assert drive(program()) == (2, 4)


@both
@pytest.mark.parametrize("error", [ValueError("no"), StopIteration("no")])
def test_what_work_raises_is_raised_at_the_yield(drive, error):
    def program():
        try:
            yield from either(fails, afails, error)
        except (ValueError, RuntimeError, StopIteration) as caught:
            return str(caught.__cause__ or caught)

    assert "no" in drive(program())


@both
def test_what_a_program_does_not_catch_is_the_callers(drive):
    ended = []

    def program():
        try:
            yield from either(fails, afails, KeyError("x"))
        finally:
            ended.append(True)

    with pytest.raises(KeyError):
        drive(program())
    assert ended == [True]


@both
def test_a_panic_of_a_library_in_rust_is_an_error(drive):
    class PanicException(BaseException):
        pass

    def program():
        try:
            yield from pure(fails, PanicException("text"))
        except Exception as error:
            return type(error).__name__

    assert drive(program()) == "EngineError"


def test_other_effects_are_performed_by_the_caller():
    def program():
        return (yield 3) + (yield 4)

    assert run(program(), double) == 14
    assert asyncio.run(arun(program(), adouble)) == 14


def test_pure_work_leaves_the_event_loop():
    def program():
        return (yield from pure(threading.current_thread))

    assert run(program()) is threading.current_thread()
    assert asyncio.run(arun(program())) is not threading.current_thread()


def test_a_cancelled_program_learns_of_it():
    seen = []

    def program():
        try:
            yield Work(int, lambda: asyncio.sleep(60))
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def main():
        task = asyncio.create_task(arun(program()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert seen == ["cancelled"]


def test_a_function_that_may_be_async():
    async def awaited():
        return 1

    def program(call, **more):
        return (yield maybe_async(call, "await it", **more))

    assert run(program(lambda: 1)) == 1
    with pytest.raises(UsageError, match="await it"):
        run(program(awaited))
    for call in (awaited, lambda: 1, lambda: asyncio.sleep(0, 1)):
        assert asyncio.run(arun(program(call))) == 1
        assert asyncio.run(arun(program(call, pool="test"))) == 1


def events(fail=None):
    number = 0
    try:
        while number < 8:
            number = (yield from either(double, adouble, number)) + 1
            yield number
        if fail is not None:
            raise fail
    finally:
        ended.append(number)


ended = []


@pytest.fixture
def closing():
    """Work that closes a source, and what was closed by whom."""
    closed = []

    async def aclose():
        closed.append("awaited")

    return closed, Work(lambda: closed.append("here"), aclose)


async def collected(program, at_end, most=99):
    found = []
    iterator = aiterate(program, at_end)
    async for event in iterator:
        found.append(event)
        if len(found) == most:
            await iterator.aclose()
            break
    return found


def test_values_go_to_whoever_iterates(closing):
    closed, work = closing
    assert list(iterate(events(), work)) == [1, 3, 7, 15] == asyncio.run(collected(events(), work))
    assert closed == ["here", "awaited"]


def test_stopping_early_closes_program_and_source(closing):
    closed, work = closing
    ended.clear()
    stream = iterate(events(), work)
    assert next(stream) == 1
    stream.close()
    assert asyncio.run(collected(events(), work, most=1)) == [1]
    assert (closed, ended) == (["here", "awaited"], [1, 1])


def test_an_error_comes_behind_the_values_and_closes_the_source(closing):
    closed, work = closing
    found = []
    with pytest.raises(OSError, match="gone"):
        found.extend(event for event in iterate(events(OSError("gone")), work))
    with pytest.raises(OSError, match="gone"):
        asyncio.run(collected(events(OSError("gone")), work))
    assert closed == ["here", "awaited"]
