"""Several answers at once: their order, how many, and what becomes of them when nobody wants the rest."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from threading import Event, Lock

import pytest

from guardrail.check import threads as jobs
from guardrail.check.drivers import arun, pure
from guardrail.check.threads import cpu_turn, in_order, in_pool


@pytest.mark.parametrize("at_once", [1, 3])
def test_results_are_in_order_and_no_more_at_work_than_asked(at_once):
    """Early items take longest."""
    lock, working, most = Lock(), 0, 0

    def work(number):
        nonlocal working, most
        with lock:
            working += 1
            most = max(most, working)
        time.sleep(0.002 * (20 - number))
        with lock:
            working -= 1
        return number

    assert list(in_order(work, range(20), at_once)) == list(range(20))
    assert most == at_once


def busy():
    """Work that notes how many are at it: a function for a turn, and the most so far."""
    lock, working, most = Lock(), [0], [0]

    def work(*_):
        with lock:
            working[0] += 1
            most[0] = max(most[0], working[0])
        time.sleep(0.01)
        with lock:
            working[0] -= 1

    return work, most


def test_an_event_loop_has_few_threads_beside_it_however_many_tasks_check():
    """All that takes the processor's time shares the turns: the stages of a check, and the local engine."""
    work, most = busy()

    def program():
        yield from pure(work)

    async def check_all():
        await asyncio.gather(*(arun(program()) for _ in range(16)), *(in_pool("engine", turned) for _ in range(16)))

    def turned():
        with cpu_turn(), cpu_turn(60):  # the inner one is part of it
            work()

    asyncio.run(check_all())
    assert 1 <= most[0] <= jobs.AT_ONCE <= 4


def test_a_turn_that_does_not_come_in_time_is_not_waited_for():
    """Then the deadline has passed, and the engine says so."""
    taken, release = [Event() for _ in range(jobs.AT_ONCE)], Event()

    def hold(begun):
        with cpu_turn():
            begun.set()
            release.wait(60)

    for begun in taken:
        jobs.in_thread(partial(hold, begun))
        assert begun.wait(60)
    with cpu_turn(0.01):
        pass
    release.set()
    with cpu_turn(60):  # nobody keeps one
        pass


def test_items_are_taken_as_they_are_needed():
    """A long file does not lie in memory."""
    taken = []

    def items():
        for number in range(1_000):
            taken.append(number)
            yield number

    found = in_order(lambda number: number, items(), 4)
    assert next(found) == 0
    assert len(taken) <= 8
    found.close()


def test_one_that_hangs_is_not_waited_for_and_the_rest_is_dropped(monkeypatch):
    """Ctrl-C while a model is silent."""
    monkeypatch.setattr(jobs, "_GRACE", 0.1)
    release, begun, ended = Event(), [], []

    def work(number):
        begun.append(number)
        if number:
            release.wait(600)
        ended.append(number)
        return number

    found = in_order(work, range(10), 2)
    assert next(found) == 0
    found.close()
    assert ended == [0]
    before = len(begun)
    release.set()
    time.sleep(0.1)
    assert len(begun) == before < 5


def test_what_the_work_raises_is_raised_in_its_place():
    """After the results before it."""
    found = in_order(lambda number: 1 // (3 - number), range(5), 2)
    assert [next(found) for _ in range(3)] == [0, 0, 1]
    with pytest.raises(ZeroDivisionError):
        next(found)
