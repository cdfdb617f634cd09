"""Work in threads that nobody needs to wait for.

A pool of the standard library joins its threads when the interpreter exits, so a request that hangs would hold up the
exit; these threads end with the process. A start takes some 50 microseconds, a reply of a model seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def in_thread(work: Callable[[], T]) -> Future[T]:
    """``work`` at work in a thread, in a copy of this context (so that spans keep their parent)."""
    future: Future[T] = Future()
    context = copy_context()

    def body() -> None:
        try:
            result = context.run(work)
        except BaseException as error:  # it is the waiter's, whatever it is
            future.set_exception(error)
        else:
            future.set_result(result)

    future.set_running_or_notify_cancel()  # so that a waiter who gives up cannot cancel what runs
    Thread(target=body, name="guardrail-llm", daemon=True).start()
    return future
