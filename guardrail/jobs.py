"""Work on several items at once with results in order; for engines that mostly wait."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_order(work: Callable[[T], R], items: Iterable[T], jobs: int) -> Iterator[R]:
    """``work`` of each item, in the order of the items, by ``jobs`` threads; 1 = in this thread, one after the other.

    Items are taken as they are needed, so a long file does not lie in memory. What ``work`` raises is raised here; what
    was not begun by then is dropped.
    """
    if jobs == 1:
        yield from map(work, items)
        return
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(jobs, thread_name_prefix="guardrail-jobs") as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                while waiting and (len(waiting) >= 2 * jobs or waiting[0].done()):
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
