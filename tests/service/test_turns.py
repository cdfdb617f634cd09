"""Who is next: fair between clients, between small and large; bounded."""

from __future__ import annotations

import asyncio

import pytest

from guardrail.service.errors import Busy
from guardrail.service.measures import Measures
from guardrail.service.turns import Turns, Work


def order_of(works, *, slots=1):
    """The order in which works that came together have their turn."""

    async def main():
        turns, order = Turns(slots, 1_000, Measures()), []

        async def one(name, work):
            async with turns.turn(work):
                order.append(name)
                await asyncio.sleep(0)

        blockers = [await turns.take(Work()) for _ in range(slots)]
        async with asyncio.TaskGroup() as group:
            for name, work in works:
                group.create_task(one(name, work))
            await asyncio.sleep(0)
            for blocker in blockers:
                blocker.end()
        return order

    return asyncio.run(main())


def test_one_client_with_many_does_not_delay_another():
    many = [(f"a{n}", Work(client="a")) for n in range(50)]
    assert order_of([*many, ("b0", Work(client="b"))], slots=2).index("b0") <= 2


def test_first_come_first_served_inside_a_client():
    names = [f"a{n}" for n in range(20)]
    assert order_of([(name, Work(client="a")) for name in names], slots=1) == names


def test_cost_counts():
    dear = [(f"a{n}", Work(client="a", cost=10)) for n in range(3)]
    cheap = [(f"b{n}", Work(client="b", cost=1)) for n in range(10)]
    order = order_of([*dear, *cheap])
    assert order.index("b9") < order.index("a1")


def test_large_ones_leave_a_turn_to_small_ones():
    async def main():
        turns = Turns(3, 100, Measures())
        large = [asyncio.ensure_future(turns.take(Work(client="a", large=True))) for _ in range(5)]
        await asyncio.sleep(0)
        assert sum(task.done() for task in large) == 2
        small = await asyncio.wait_for(turns.take(Work(client="a")), 5)
        small.end()
        (await large[0]).end()
        await asyncio.sleep(0)
        assert sum(task.done() for task in large) == 3
        for task in large:
            task.cancel()

    asyncio.run(main())


def test_with_one_turn_large_ones_have_it_too():
    assert order_of([("a", Work(large=True))]) == ["a"]


def test_a_full_queue_says_so():
    async def main():
        turns = Turns(1, 2, Measures())
        await turns.take(Work())
        waiting = [asyncio.ensure_future(turns.take(Work())) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Busy) as refused:
            await turns.take(Work())
        assert refused.value.status == 503
        assert refused.value.retry_after >= 1
        waiting[0].cancel()
        await asyncio.sleep(0)
        assert turns.waiting == 1
        again = asyncio.ensure_future(turns.take(Work()))
        await asyncio.sleep(0)
        assert turns.waiting == 2
        for task in (*waiting, again):
            task.cancel()

    asyncio.run(main())


def test_who_leaves_in_the_moment_of_his_turn_gives_it_back():
    async def main():
        turns = Turns(1, 10, Measures())
        first = await turns.take(Work())
        second = asyncio.ensure_future(turns.take(Work()))
        await asyncio.sleep(0)
        first.end()  # the second has the turn now, and has not heard of it yet
        second.cancel()
        await asyncio.wait((second,))
        assert turns.running == 0
        assert turns.idle

    asyncio.run(main())


def test_a_turn_given_up_comes_back_before_others():
    async def main():
        turns, order = Turns(1, 10, Measures()), []

        async def other():
            async with turns.turn(Work(client="b")):
                order.append("other")

        async def late():
            async with turns.turn(Work(client="c")):
                order.append("late")

        async with turns.turn(Work(client="a")) as turn:
            waiting = [asyncio.ensure_future(other())]
            async with turn.given_up():
                await waiting[0]
                blocker = await turns.take(Work(client="d"))
                waiting.append(asyncio.ensure_future(late()))
                loop = asyncio.get_running_loop()
                loop.call_soon(loop.call_soon, blocker.end)  # after the line at the end of the block has formed
            order.append("mine")
        await asyncio.gather(*waiting)
        assert order == ["other", "mine", "late"]
        assert turns.idle

    asyncio.run(main())
