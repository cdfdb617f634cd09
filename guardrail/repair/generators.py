"""Run the attempts of a repair: call the generator, the rewriter and the check that it asks for.

A generator or rewriter that fails, or returns what is no answer, ends the attempts; the best answer so far is
delivered. UsageErrors pass through.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol, runtime_checkable

from guardrail import telemetry
from guardrail.check.intake import PassageLike, read_passages
from guardrail.errors import EngineError, UsageError, panics_are_errors
from guardrail.repair.attempts import Attempts, Check, NewAnswer, Regenerate, Rewrite
from guardrail.repair.feedback import Feedback
from guardrail.types import GuardedAnswer, Report

_log = logging.getLogger(__name__)

Generated = str | tuple[str, Iterable[PassageLike]]
"""A new answer; with passages, where it retrieved again: then it is checked against these, and so is what follows."""

Generator = Callable[[Feedback], Generated | Awaitable[Generated]]
"""Answers the question again, told what was wrong; it may be a coroutine function."""


@runtime_checkable
class Rewriter(Protocol):
    """Edits an answer as little as its findings demand; None where it cannot."""

    def rewrite(self, feedback: Feedback) -> str | None:
        """The answer with its faults taken out or corrected from the passages (``feedback.report.passages``)."""
        ...


@runtime_checkable
class AsyncRewriter(Protocol):
    """The same for one whose work is awaited."""

    def arewrite(self, feedback: Feedback) -> Awaitable[str | None]:
        """See Rewriter.rewrite."""
        ...


def mend(
    attempts: Attempts,
    check: Callable[[Check], Report],
    generate: Generator | None,
    rewriter: Rewriter | AsyncRewriter,
) -> GuardedAnswer:
    """Run the attempts in this thread.

    Raises:
        UsageError: the generator or rewriter can only be awaited.
    """
    try:
        step = next(attempts)
        while True:
            step = attempts.send(check(step) if isinstance(step, Check) else _new(step, generate, rewriter))
    except StopIteration as stop:
        return _guarded(stop)


async def amend(
    attempts: Attempts,
    check: Callable[[Check], Awaitable[Report]],
    generate: Generator | None,
    rewriter: Rewriter | AsyncRewriter,
) -> GuardedAnswer:
    """The same without blocking the event loop: a generator or rewriter that is not async works in a thread."""
    try:
        step = next(attempts)
        while True:
            if isinstance(step, Check):
                step = attempts.send(await check(step))
            else:
                step = attempts.send(await _anew(step, generate, rewriter))
    except StopIteration as stop:
        return _guarded(stop)


def _new(
    step: Regenerate | Rewrite, generate: Generator | None, rewriter: Rewriter | AsyncRewriter
) -> NewAnswer | None:
    with telemetry.stage(_stage(step)):
        try:
            with panics_are_errors():
                said = _work(step, generate, rewriter)(step.feedback)
            return _told(step, _read(_there(said, step)))
        except UsageError:
            raise
        except Exception as error:  # somebody else's chain: its failure must not lose the answer that there is
            _failed(step, error)
            return None


async def _anew(
    step: Regenerate | Rewrite, generate: Generator | None, rewriter: Rewriter | AsyncRewriter
) -> NewAnswer | None:
    with telemetry.stage(_stage(step)):
        try:
            with panics_are_errors():
                if isinstance(step, Rewrite) and isinstance(rewriter, AsyncRewriter):
                    return _told(step, _read(await rewriter.arewrite(step.feedback)))
                said = await _said(_work(step, generate, rewriter), step.feedback)
                return _told(step, _read(await said if inspect.isawaitable(said) else said))
        except UsageError:
            raise
        except Exception as error:  # see _new
            _failed(step, error)
            return None


def _work(
    step: Regenerate | Rewrite, generate: Generator | None, rewriter: Rewriter | AsyncRewriter
) -> Callable[[Feedback], object]:
    if isinstance(step, Rewrite):
        if not isinstance(rewriter, Rewriter):
            raise UsageError("the rewriter can only be awaited. Use `await guard.arun(...)`.")
        return rewriter.rewrite
    if generate is None:
        raise EngineError("there is no generator")
    return generate


def _there(said: object, step: Regenerate | Rewrite) -> object:
    """What was returned, unless somebody would have to await it."""
    if not inspect.isawaitable(said):
        return said
    if inspect.iscoroutine(said):
        said.close()
    raise UsageError(f"the {_who(step)} is async. Use `await guard.arun(...)`.")


async def _said(work: Callable[[Feedback], object], feedback: Feedback) -> object:
    """What the work returns, perhaps an awaitable; what is not async is done in a thread."""
    if inspect.iscoroutinefunction(work):
        return work(feedback)
    said = await asyncio.to_thread(_tried, work, feedback)
    if isinstance(said, _Raised):
        raise RuntimeError("no next item") if isinstance(said.error, StopIteration) else said.error
    return said


class _Raised:
    """An error on its way out of a thread: a StopIteration cannot cross it, and would never be heard of again."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _tried(work: Callable[[Feedback], object], feedback: Feedback) -> object:
    try:
        return work(feedback)
    except Exception as error:
        return _Raised(error)


def _stage(step: Regenerate | Rewrite) -> str:
    return "regenerate" if isinstance(step, Regenerate) else "rewrite"


def _who(step: Regenerate | Rewrite) -> str:
    return "generator" if isinstance(step, Regenerate) else "rewriter"


def _read(said: object) -> NewAnswer | None:
    """The new answer. Raises EngineError where it is none."""
    if said is None:
        return None
    if isinstance(said, str):
        return NewAnswer(said)
    if not isinstance(said, tuple) or len(said) != 2 or not isinstance(said[0], str):
        raise EngineError(f"it returned {type(said).__name__}, neither a str nor (str, passages)")
    try:
        return NewAnswer(said[0], read_passages(said[1]))
    except UsageError as error:
        raise EngineError(str(error)) from None


def _told(step: Regenerate | Rewrite, new: NewAnswer | None) -> NewAnswer | None:
    telemetry.attempted(_stage(step), answered=new is not None)
    return new


def _failed(step: Regenerate | Rewrite, error: Exception) -> None:
    telemetry.failed(error)
    telemetry.attempted(_stage(step), answered=False)
    _log.warning("the %s failed; the best answer so far is delivered", _who(step), exc_info=error)


def _guarded(stop: StopIteration) -> GuardedAnswer:
    guarded = stop.value
    if not isinstance(guarded, GuardedAnswer):
        raise TypeError(f"attempts must return a GuardedAnswer, got {type(guarded).__name__}")
    return guarded
