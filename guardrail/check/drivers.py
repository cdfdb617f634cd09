"""The only sync and the only async driver of the package: they run programs.

A program is a generator that yields work and is sent what came of it, so that all that is decided around the work is
written once. What the work raises is raised inside the program, at its ``yield``.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, ParamSpec, TypeVar

from guardrail.check.threads import in_pool, in_turn
from guardrail.errors import UsageError, rust_panics_as_errors

P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Work(Generic[T]):
    """One thing to do: in this thread (``here``), or without blocking the event loop (``awaited``)."""

    here: Callable[[], T]
    awaited: Callable[[], Awaitable[T]]


Program = Generator[Work[Any], Any, T]
"""Yields Work and returns a T."""

Events = Generator[Work[Any] | E, Any, None]
"""Yields Work, and values for whoever iterates it."""


def either(
    here: Callable[P, T], awaited: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
) -> Program[T]:
    """A function that comes in two kinds, called.

    ``report = yield from either(guard.check, guard.acheck, answer, passages)``
    """
    done: T = yield Work(partial(here, *args, **kwargs), partial(awaited, *args, **kwargs))
    return done


def pure(work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Program[T]:
    """A function that takes its time and waits for nothing, called; an event loop has it done in a thread."""
    call = partial(work, *args, **kwargs)
    done: T = yield Work(call, partial(in_pool, "pure", in_turn, call))
    return done


def maybe_async(call: Callable[[], object], refusal: str, *, pool: str | None = None) -> Work[object]:
    """A call of somebody else's function, which may be async: then a sync driver raises UsageError with ``refusal``.

    With a ``pool``, an event loop has a function that is not async called in a thread of it.
    """

    def here() -> object:
        value = call()
        if not inspect.isawaitable(value):
            return value
        if inspect.iscoroutine(value):
            value.close()
        raise UsageError(refusal)

    async def awaited() -> object:
        in_thread = pool is not None and not inspect.iscoroutinefunction(call)
        value = await in_pool(pool or "", call) if in_thread else call()
        return await value if inspect.isawaitable(value) else value

    return Work(here, awaited)


def _here(work: Any) -> object:
    return work.here()


def _awaited(work: Any) -> Awaitable[object]:
    awaitable: Awaitable[object] = work.awaited()
    return awaitable


def run(program: Generator[E, Any, T], perform: Callable[[E], object] = _here) -> T:
    """Run a program in this thread.

    Args:
        program: What to run; it is closed at the end.
        perform: Does what it yields, where that is not Work.
    """
    try:
        step = _advance(program)
        while not isinstance(step, _Result):
            step = _performed(program, step, perform)
        return step.value
    finally:
        program.close()


async def arun(
    program: Generator[E, Any, T], perform: Callable[[E], Awaitable[object]] = _awaited, *, in_threads: bool = False
) -> T:
    """The same without blocking the event loop.

    Args:
        program: See run.
        perform: See run.
        in_threads: Whether the program itself may block: then it goes on in a thread each time. Values of context
            (spans, say) that it sets do not last from one yield to the next.
    """
    advance: Callable[..., Awaitable[E | _Result[T]]] = _advance_in_thread if in_threads else _aadvance
    try:
        step = await advance(program)
        while not isinstance(step, _Result):
            step = await _aperformed(program, step, perform, advance)
        return step.value
    finally:
        with suppress(ValueError):  # one at work in a thread cannot be closed; it ends by itself, unheard
            program.close()


def iterate(program: Events[E], at_end: Work[None]) -> Iterator[E]:
    """Run a program in this thread and give on the values that it yields; ``at_end`` is done however it ends."""
    try:
        step = _advance(program)
        while not isinstance(step, _Result):
            if isinstance(step, Work):
                step = _performed(program, step, _here)
            else:
                yield step
                step = _advance(program)
    finally:
        program.close()
        at_end.here()


async def aiterate(program: Events[E], at_end: Work[None]) -> AsyncIterator[E]:
    """The same without blocking the event loop."""
    try:
        step = _advance(program)
        while not isinstance(step, _Result):
            if isinstance(step, Work):
                step = await _aperformed(program, step, _awaited, _aadvance)
            else:
                yield step
                step = _advance(program)
    finally:
        program.close()
        await at_end.awaited()


@dataclass(frozen=True, slots=True)
class _Result(Generic[T]):
    """What a program came to (a StopIteration cannot cross a thread)."""

    value: T


def _advance(program: Generator[E, Any, T], reply: object = None, error: BaseException | None = None) -> E | _Result[T]:
    """What the program yields next, or its result."""
    try:
        return program.send(reply) if error is None else program.throw(error)
    except StopIteration as stop:
        return _Result(stop.value)


async def _aadvance(
    program: Generator[E, Any, T], reply: object = None, error: BaseException | None = None
) -> E | _Result[T]:
    return _advance(program, reply, error)


async def _advance_in_thread(
    program: Generator[E, Any, T], reply: object = None, error: BaseException | None = None
) -> E | _Result[T]:
    return await in_pool("programs", _advance, program, reply, error)


def _performed(program: Generator[E, Any, T], step: E, perform: Callable[[E], object]) -> E | _Result[T]:
    """The step is performed and the program told: what it yields next."""
    try:
        with rust_panics_as_errors():
            reply = perform(step)
    except BaseException as error:  # also Ctrl-C, so that what the program holds open learns of it
        return _advance(program, None, error)
    return _advance(program, reply)


async def _aperformed(
    program: Generator[E, Any, T],
    step: E,
    perform: Callable[[E], Awaitable[object]],
    advance: Callable[..., Awaitable[E | _Result[T]]],
) -> E | _Result[T]:
    try:
        with rust_panics_as_errors():
            reply = await perform(step)
    except Exception as error:
        return await advance(program, None, error)
    except BaseException as stop:  # a cancellation: nothing is awaited any more
        _advance(program, None, stop)
        raise
    return await advance(program, reply)
