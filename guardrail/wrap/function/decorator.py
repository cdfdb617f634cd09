"""A decorator for functions that return an answer and its passages: ``@guarded(guard)``.

@guarded(Guard(policy=Policy.repair()))
def answer(question: str) -> tuple[str, list[str]]:
    ...
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from typing import Any, Literal, cast, overload

from guardrail.check.drivers import Program, arun, run
from guardrail.errors import UsageError
from guardrail.guard import Guard
from guardrail.repair.feedback import Feedback
from guardrail.repair.generators import Generated
from guardrail.streaming.events import Mode, StreamEvent
from guardrail.types import GuardedAnswer
from guardrail.wrap.function.calls import Calls, Extract
from guardrail.wrap.function.signatures import Answers, Texts
from guardrail.wrap.function.streams import streamed
from guardrail.wrap.kinds import Regenerators, guarded_run, read_guard, read_mode, same

_DELIVERIES = ("answer", "text")


@overload
def guarded(
    guard: Guard,
    *,
    deliver: Literal["answer"] = "answer",
    answer: Extract | None = None,
    passages: Extract | None = None,
    question: Extract | None = None,
    mode: Mode = "buffer",
) -> Answers: ...


@overload
def guarded(
    guard: Guard,
    *,
    deliver: Literal["text"],
    answer: Extract | None = None,
    passages: Extract | None = None,
    question: Extract | None = None,
    mode: Mode = "buffer",
) -> Texts: ...


def guarded(
    guard: Guard,
    *,
    deliver: Literal["answer", "text"] = "answer",
    answer: Extract | None = None,
    passages: Extract | None = None,
    question: Extract | None = None,
    mode: Mode = "buffer",
) -> Answers | Texts:
    """Check what a function answers before its caller gets it.

    The function, sync or async, returns ``(answer, passages)``, or an object from which ``answer`` and ``passages``
    take them. A generator function (sync or async) yields the passages as one list, before the text that needs them,
    and the answer as str deltas. Where the function has a parameter ``feedback``, a policy that regenerates calls it
    again with the same arguments and the Feedback there; what it returns is checked against its new passages.

    Args:
        guard: Checks, decides and repairs.
        deliver: ``answer``: the decorated function returns the GuardedAnswer, a generator function yields StreamEvents.
            ``text``: the delivered text, a generator function yields deltas.
        answer: Key, attribute or function of the returned object; default ``answer``, where it is no pair.
        passages: The same for the passages; default ``passages``.
        question: Name of the parameter that holds the question, or a function of the call's arguments. Default: a
            parameter ``question`` or ``query``, if it holds a str.
        mode: When the text of a generator function leaves; see Guard.stream.

    Raises:
        UsageError: an argument is wrong, now; or from a call, the function returned no answer with passages. Errors of
            the function itself pass through.
    """
    read_guard(guard, "@guarded(guard), with a Guard in the parentheses")
    if deliver not in _DELIVERIES:
        raise UsageError(f"deliver must be one of {_DELIVERIES}, got {deliver!r}.")
    read_mode(mode)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        calls = Calls(function, guard, answer, passages, question)
        if mode != "buffer" and not calls.generates:
            raise UsageError(f"mode {mode!r} is for generator functions; {calls.name} returns its answer as a whole.")
        return functools.wraps(function)(_wrapper(calls, mode, deliver == "text"))

    return cast("Answers | Texts", decorate)


def _wrapper(calls: Calls, mode: Mode, text: bool) -> Callable[..., Any]:
    """Of the function's own kind, for frameworks that look at it."""

    def call(*args: Any, **kwargs: Any) -> GuardedAnswer | str:
        return run(_answered(calls, text, args, kwargs))

    async def acall(*args: Any, **kwargs: Any) -> GuardedAnswer | str:
        return await arun(_answered(calls, text, args, kwargs))

    def stream(*args: Any, **kwargs: Any) -> Iterator[StreamEvent | str]:
        yield from streamed(calls, mode, text, args, kwargs)

    async def astream(*args: Any, **kwargs: Any) -> AsyncIterator[StreamEvent | str]:
        async with aclosing(streamed(calls, mode, text, args, kwargs)) as events:
            async for event in events:
                yield event

    if calls.generates:
        return astream if calls.asynchronous else stream
    return acall if calls.asynchronous else call


def _answered(calls: Calls, text: bool, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Program[GuardedAnswer | str]:
    regenerate = calls.regeneration(args, kwargs)

    def answering(feedback: Feedback) -> Program[Generated]:
        return calls.read((yield same(regenerate, feedback))) if regenerate is not None else ""

    said, passages = calls.read((yield same(calls.function, *args, **kwargs)))
    delivered: GuardedAnswer = yield guarded_run(
        calls.guard,
        said,
        passages,
        Regenerators() if regenerate is None else Regenerators.of(answering),
        question=calls.question_of(args, kwargs),
    )
    return delivered.text if text else delivered
