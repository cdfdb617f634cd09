"""Whose check runs next: a bounded queue that is fair between clients, and between small and large checks.

Start-time fair queueing (Goyal, Vin and Cheng, 1996): a check's tag is the virtual time at which it would start if its
client had a share of its own, and the lowest tag goes first. So ten thousand checks of one client delay the next
client by one check, not by ten thousand. Large checks wait in a line of their own, and may never hold all turns.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count

from guardrail.service.errors import Busy
from guardrail.service.measures import Measures

_FORGET = 1_000
"""Clients remembered at most, beyond those that are ahead of the virtual time."""


@dataclass(frozen=True, slots=True)
class Work:
    """One check to come.

    Attributes:
        client: Whose it is.
        cost: About how long it takes, in any unit that is the same for all.
        large: Whether it may take only some of the turns.
    """

    client: str = ""
    cost: float = 1.0
    large: bool = False


@dataclass(order=True, slots=True)
class _Waiter:
    tag: float
    number: int
    go: asyncio.Future[None] = field(compare=False)


class Turn:
    """A turn that somebody has, until its ``end``."""

    def __init__(self, turns: Turns, work: Work) -> None:
        self._turns = turns
        self._work = work
        self._began = asyncio.get_running_loop().time()

    def end(self) -> None:
        """Others may go on."""
        self._turns.ended(self._work, asyncio.get_running_loop().time() - self._began)

    @asynccontextmanager
    async def given_up(self) -> AsyncIterator[None]:
        """Others may go on inside the block, as while an upstream is awaited; at its end this one comes first."""
        self._turns.release(self._work)
        try:
            yield
        finally:
            await asyncio.shield(self._turns.acquire(self._work, again=True))


class Turns:
    """So many checks at once, so many that wait. For one event loop.

    Args:
        slots: Turns; large work takes all but one of them, at least one.
        longest: How much may wait; beyond that ``Busy`` is raised.
        measures: Hears what waits and what runs.

    Attributes:
        running: Checks that have a turn.
        waiting: Checks that wait for one.
    """

    def __init__(self, slots: int, longest: int, measures: Measures) -> None:
        self.slots = slots
        self.longest = longest
        self.running = 0
        self.waiting = 0
        self._large = 0
        self._lines: dict[bool, list[_Waiter]] = {False: [], True: []}
        self._ends: dict[tuple[str, bool], float] = {}
        self._now = 0.0
        self._numbers = count()
        self._measures = measures
        self._pace = 0.05  # seconds per check, as seen lately

    @property
    def idle(self) -> bool:
        """Nothing runs and nothing waits."""
        return not self.running and not self.waiting

    @asynccontextmanager
    async def turn(self, work: Work) -> AsyncIterator[Turn]:
        """A turn for the block.

        Raises:
            Busy: too much waits already.
        """
        turn = await self.take(work)
        try:
            yield turn
        finally:
            turn.end()

    async def take(self, work: Work) -> Turn:
        """The same for a turn that ends elsewhere.

        Raises:
            Busy: as ``turn``.
        """
        await self.acquire(work)
        return Turn(self, work)

    def ended(self, work: Work, seconds: float) -> None:
        """Give a turn back that took so long."""
        self._pace += 0.1 * (seconds - self._pace)
        self.release(work)

    async def acquire(self, work: Work, *, again: bool = False) -> None:
        """Wait for a turn; ``again``: it was given up, and comes before all others.

        Raises:
            Busy: as ``turn``.
        """
        if not again and self.waiting >= self.longest:
            raise Busy(f"{self.longest} checks are waiting already. Try again later.", self.wait_seconds())
        waiter = _Waiter(-1.0 if again else self._tag(work), next(self._numbers), self._future())
        heapq.heappush(self._lines[work.large], waiter)
        self.waiting += 1
        self._measures.waiting(1)
        began = asyncio.get_running_loop().time()
        self._next()
        try:
            await waiter.go
        except asyncio.CancelledError:
            if not waiter.go.cancelled():  # it had its turn in the same moment
                self.release(work)
            raise
        finally:
            self.waiting -= 1
            self._measures.waiting(-1)
            self._measures.waited(asyncio.get_running_loop().time() - began)

    def release(self, work: Work) -> None:
        """Give a turn back."""
        self.running -= 1
        self._measures.running(-1)
        self._large -= work.large
        self._next()

    def wait_seconds(self) -> float:
        """About how long a new check would wait, in seconds; 1 at least."""
        return max(1.0, self._pace * self.waiting / self.slots)

    @staticmethod
    def _future() -> asyncio.Future[None]:
        return asyncio.get_running_loop().create_future()

    def _tag(self, work: Work) -> float:
        line = (work.client, work.large)
        start = max(self._now, self._ends.get(line, 0.0))
        self._ends[line] = start + work.cost
        if len(self._ends) > _FORGET:
            self._ends = {key: end for key, end in self._ends.items() if end > self._now}
        return start

    def _next(self) -> None:
        while self.running < self.slots:
            open_lines = [large for large in (False, True) if self._first(large)]
            if self._large >= max(1, self.slots - 1) and True in open_lines:
                open_lines.remove(True)
            if not open_lines:
                return
            large = min(open_lines, key=lambda kind: self._lines[kind][0])
            waiter = heapq.heappop(self._lines[large])
            self._now = max(self._now, waiter.tag)
            self.running += 1
            self._measures.running(1)
            self._large += large
            waiter.go.set_result(None)

    def _first(self, large: bool) -> bool:
        """Whether somebody waits in that line; those who have left are dropped."""
        line = self._lines[large]
        while line and line[0].go.done():
            heapq.heappop(line)
        return bool(line)
