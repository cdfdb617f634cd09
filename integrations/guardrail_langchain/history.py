"""Chains that keep their own answers: inside a guard, they would keep the raw ones."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

from guardrail import UsageError


def refuse_history(chain: object) -> None:
    """Refuse a chain in which something keeps the answers before they are checked.

    Raises:
        UsageError: it, or a part of it, is a RunnableWithMessageHistory or has a ``memory``.
    """
    for part in _parts(chain, set()):
        if isinstance(part, RunnableWithMessageHistory):
            name, instead = "RunnableWithMessageHistory", "RunnableWithMessageHistory(guard_chain(chain, guard), ...)"
        elif hasattr(getattr(part, "memory", None), "save_context"):
            name = f"the memory of {type(part).__name__}"
            instead = "make the chain without memory=, and pass it the history of delivered answers (chat_history)"
        else:
            continue
        raise UsageError(
            f"{name} stands inside the guard: it would keep each answer before it is checked, and the next prompt and "
            f"the next result would repeat what was withheld. Put the history around the guard: {instead}. "
            "The page docs/memory.md shows it."
        )


def _parts(value: object, seen: set[int]) -> Iterator[object]:
    """A runnable and all that are in it."""
    if id(value) in seen:
        return
    seen.add(id(value))
    inner: Iterable[object]
    if isinstance(value, Runnable):
        yield value
        inner = _used_by(value) if isinstance(value, RunnableLambda) else vars(value).values()
    elif isinstance(value, Mapping):
        inner = value.values()
    else:
        inner = value if isinstance(value, (list, tuple)) else ()
    for each in inner:
        yield from _parts(each, seen)


def _used_by(function: RunnableLambda[Any, Any]) -> list[object]:
    """The runnables that a function names, or whose method it is or calls."""
    called = getattr(function, "func", None) or getattr(function, "afunc", None)
    try:
        named = inspect.getclosurevars(cast("Any", called))
    except (TypeError, ValueError):  # no function of Python's own; a name that has no value yet
        return [getattr(called, "__self__", None)]
    values = [*named.nonlocals.values(), *named.globals.values()]
    return [getattr(called, "__self__", None), *(v for v in values if isinstance(v, Runnable))]
