"""Work in threads that nobody needs to wait for, and on several items at once by them, with results in order.

A pool of the standard library joins its threads when the interpreter exits, so a request that hangs would hold up the
exit; these threads end with the process. They are used again: who starts a thread waits until it runs, and among busy
threads an event loop would wait for milliseconds.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache, partial
from queue import SimpleQueue
from threading import Event, Lock, Semaphore, Thread, local
from typing import Any, ParamSpec, TypeVar

from guardrail.errors import EngineTimeout

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


AT_ONCE = min(4, cores())
"""Threads that may work for checks at once. More would wait for each other (much of a check is Python, which one thread
at a time runs), and an event loop beside them would wait for all of them, 5 ms each."""

_turns: dict[int, Semaphore] = {}  # by process: a forked worker must not wait for its parent's threads
_held = local()

_GRACE = 2.0
"""Seconds that work under way is waited for where nobody wants its result any more."""

_POOL = 32
"""Threads of one pool of an event loop."""

LEFT_BEHIND = 64
"""Threads that may hang, left behind by sync callers; each holds some memory for good."""

_left_behind: set[Future[Any]] = set()


def in_thread(work: Callable[[], T]) -> Future[T]:
    """``work`` at work in a thread, in a copy of this context (so that spans keep their parent)."""
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # so that a waiter who gives up cannot cancel what runs
    _pool("work", os.getpid(), None).submit(future, partial(copy_context().run, work))
    return future


def in_time(work: Callable[[], T], seconds: float | None, late: EngineTimeout) -> T:
    """``work``, in a thread that is left to itself where it takes longer than that; None = here, however long.

    Raises:
        EngineTimeout: as many as LEFT_BEHIND threads hang already; ``late``, where this one does.
    """
    if seconds is None:
        return work()
    if len(_left_behind) >= LEFT_BEHIND:
        raise type(late)(f"{LEFT_BEHIND} earlier calls still hang")
    future = in_thread(work)
    if not wait((future,), timeout=seconds).done:
        _left_behind.add(future)
        future.add_done_callback(_left_behind.discard)
        raise late
    return future.result()


def _tell(future: Future[Any], work: Callable[[], object]) -> None:
    """Work, and tell those who wait what came of it."""
    try:
        result = work()
    except BaseException as error:  # it is the waiter's, whatever it is
        future.set_exception(error)
    else:
        future.set_result(result)


async def in_pool(name: str, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """``work(*args)`` in a thread of the pool of that name, in a copy of this context.

    Pools of our own: engines that hang must not take the threads that everybody else's ``to_thread`` needs, nor hold
    the interpreter's exit.

    Raises:
        RuntimeError: the work raised a StopIteration, which cannot cross a thread and would never be heard of again.
    """

    def body() -> R:
        try:
            return context.run(work, *args, **kwargs)
        except StopIteration as stop:
            raise RuntimeError("a StopIteration was raised") from stop

    import asyncio  # not before a loop runs: 25 ms of the import

    context = copy_context()
    future: Future[R] = Future()
    _pool(name, os.getpid(), _POOL).submit(future, body)
    return await asyncio.wrap_future(future)


class _Pool:
    """Threads, started as they are needed, up to ``most``; None = as many as there is work at once."""

    def __init__(self, name: str, most: int | None) -> None:
        self._name, self._most = f"guardrail-{name}", most
        self._todo: SimpleQueue[tuple[Future[Any], Callable[[], object]]] = SimpleQueue()
        self._idle, self._lock, self._started = Semaphore(0), Lock(), 0

    def submit(self, future: Future[Any], work: Callable[[], object]) -> None:
        """``work`` in the next free thread."""
        self._todo.put((future, work))
        with self._lock:
            if not self._idle.acquire(blocking=False) and (self._most is None or self._started < self._most):
                self._started += 1
                Thread(target=self._work, name=f"{self._name}_{self._started}", daemon=True).start()

    def _work(self) -> None:
        while True:
            future, work = self._todo.get()
            if future.running() or future.set_running_or_notify_cancel():
                _tell(future, work)
            del future, work  # while it waits, a thread holds nothing of the last one
            self._idle.release()


@cache
def _pool(name: str, process: int, most: int | None) -> _Pool:  # noqa: ARG001  a forked worker has none of its parent's
    return _Pool(name, most)


@contextmanager
def cpu_turn(seconds: float | None = None) -> Iterator[None]:
    """Work of the processor inside the block, by AT_ONCE threads at a time; a block within the block is one with it.

    Args:
        seconds: The longest wait; then the block is entered all the same. None = as long as it takes.
    """
    if getattr(_held, "turn", False):
        yield
        return
    turns = _turns.get(os.getpid()) or _turns.setdefault(os.getpid(), Semaphore(AT_ONCE))
    _held.turn = turns.acquire(timeout=seconds)
    try:
        yield
    finally:
        if _held.turn:
            turns.release()
        _held.turn = False


def in_turn(work: Callable[[], R]) -> R:
    """``work`` in a turn of the processor."""
    with cpu_turn():
        return work()


def in_order(work: Callable[[T], R], items: Iterable[T], jobs: int) -> Iterator[R]:
    """``work`` of each item, in the order of the items, by ``jobs`` threads; 1 = in this thread, one after the other.

    Items are taken as they are needed, so a long file does not lie in memory. What ``work`` raises is raised here; what
    was not begun by then is dropped, and what is under way is left to itself: a model that hangs must not hold Ctrl-C.
    """
    if jobs == 1:
        yield from map(work, items)
        return
    free, dropped = Semaphore(jobs), Event()

    def turn(item: T) -> R:
        with free:
            if dropped.is_set():
                raise CancelledError
            return work(item)

    waiting: deque[Future[R]] = deque()
    try:
        for item in items:
            waiting.append(in_thread(partial(turn, item)))
            while waiting and (len(waiting) >= 2 * jobs or waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        dropped.set()
        wait(waiting, timeout=_GRACE)
