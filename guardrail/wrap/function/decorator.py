"""A decorator for functions that return an answer and its passages: ``@guarded(guard)``.

@guarded(Guard(policy=Policy.repair()))
def answer(question: str) -> tuple[str, list[str]]:
    ...
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, cast, overload

from guardrail.errors import UsageError
from guardrail.guard import Guard
from guardrail.repair.feedback import Feedback
from guardrail.repair.generators import Generated
from guardrail.streaming.events import MODES, Mode
from guardrail.types import GuardedAnswer
from guardrail.wrap.function.calls import Calls, Extract
from guardrail.wrap.function.signatures import Answers, Texts
from guardrail.wrap.function.streams import astreamed, streamed

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
    if not isinstance(guard, Guard):
        hint = "Write @guarded(guard), with a Guard in the parentheses."
        raise UsageError(f"guard must be a Guard, got {type(guard).__name__}. {hint}")
    if deliver not in _DELIVERIES:
        raise UsageError(f"deliver must be one of {_DELIVERIES}, got {deliver!r}.")
    if mode not in MODES:
        raise UsageError(f"mode must be one of {MODES}, got {mode!r}.")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        calls = Calls(function, guard, answer, passages, question)
        if mode != "buffer" and not calls.generates:
            raise UsageError(f"mode {mode!r} is for generator functions; {calls.name} returns its answer as a whole.")
        return functools.wraps(function)(_wrapper(calls, mode, deliver == "text"))

    return cast("Answers | Texts", decorate)


def _wrapper(calls: Calls, mode: Mode, text: bool) -> Callable[..., Any]:
    if calls.asynchronous and calls.generates:
        return astreamed(calls, mode, text)
    if calls.generates:
        return streamed(calls, mode, text)
    return _awaited(calls, text) if calls.asynchronous else _called(calls, text)


def _called(calls: Calls, text: bool) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> GuardedAnswer | str:
        given, passages = calls.read(calls.function(*args, **kwargs))
        again = calls.again(args, kwargs)

        def anew(feedback: Feedback) -> Generated:
            return calls.read(again(feedback)) if again is not None else ""

        delivered = calls.guard.run(
            given, passages, question=calls.question_of(args, kwargs), regenerate=None if again is None else anew
        )
        return delivered.text if text else delivered

    return call


def _awaited(calls: Calls, text: bool) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> GuardedAnswer | str:
        given, passages = calls.read(await calls.function(*args, **kwargs))
        again = calls.again(args, kwargs)

        async def anew(feedback: Feedback) -> Generated:
            return calls.read(await again(feedback)) if again is not None else ""

        delivered = await calls.guard.arun(
            given, passages, question=calls.question_of(args, kwargs), regenerate=None if again is None else anew
        )
        return delivered.text if text else delivered

    return call
