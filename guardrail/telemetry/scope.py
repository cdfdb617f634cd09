"""Values of this thread or task for a block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def holding(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Set a variable inside the block.

    A generator around the block may be closed, or go on, in another context than it began in (web servers read each
    piece of a sync stream in a context of its own): nothing is put back there, and nothing is raised.
    """
    token = variable.set(value)
    try:
        yield
    finally:
        with suppress(ValueError):  # the other context never saw the value
            variable.reset(token)
