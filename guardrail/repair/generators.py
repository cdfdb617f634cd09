"""Who can write a new answer: the caller's generator, or a rewriter.

One that fails, or returns what is no answer, has written none. UsageErrors pass through.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, Protocol, runtime_checkable

from guardrail.check.drivers import Program, Work, maybe_async
from guardrail.check.intake import PassageLike, read_passages
from guardrail.errors import EngineError, UsageError
from guardrail.repair.feedback import Feedback
from guardrail.telemetry import record_attempt, record_error, stage
from guardrail.types import Action, Passage

_log = logging.getLogger(__name__)

Generated = str | tuple[str, Iterable[PassageLike]]
"""A new answer; with passages, where it retrieved again: then it is checked against these, and so is what follows."""

Generator = Callable[[Feedback], Generated | Awaitable[Generated]]
"""Answers the question again, told what was wrong; it may be a coroutine function."""

Way = Literal["regenerate", "rewrite"]
"""How to come by a new answer."""


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


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """What was written; ``passages`` where they were retrieved again, None = the same ones."""

    text: str
    passages: tuple[Passage, ...] | None = None


@dataclass(frozen=True, slots=True)
class Authors:
    """Who is there to write a new answer.

    Attributes:
        generator: Answers again; it is also asked where a rewrite comes to nothing.
        rewriter: Edits; it also stands in where there is no generator. None = the local one, for rewrites only.
    """

    generator: Generator | None = None
    rewriter: Rewriter | AsyncRewriter | None = None

    def ways(self, wish: Action) -> tuple[Way, ...]:
        """What to try for a new answer, until one comes."""
        if wish is Action.REGENERATE and self.generator is None:
            return () if self.rewriter is None else ("rewrite",)
        if wish is Action.REWRITE:
            return ("rewrite",) if self.generator is None else ("rewrite", "regenerate")
        return ("regenerate",) if wish is Action.REGENERATE else ()

    def write(self, way: Way, feedback: Feedback) -> Program[NewAnswer | None]:
        """A new answer; None where it failed or nothing could be done.

        Raises:
            UsageError: the driver is sync, and the generator or rewriter can only be awaited.
        """
        with stage(way):
            try:
                new = _read((yield self._work(way, feedback)))
            except UsageError:
                raise
            except Exception as error:  # somebody else's chain: its failure must not lose the answer that there is
                record_error(error)
                record_attempt(way, answered=False)
                _log.warning("the %s failed; the best answer so far is delivered", way, exc_info=error)
                return None
            record_attempt(way, answered=new is not None)
            return new

    def _work(self, way: Way, feedback: Feedback) -> Work[object]:
        instead = "is async. Use `await guard.arun(...)`."
        if way == "regenerate" and self.generator is not None:
            return maybe_async(partial(self.generator, feedback), f"the generator {instead}", pool="generators")
        rewriter = _local() if self.rewriter is None else self.rewriter
        refusal = f"the rewriter {instead}"
        if not isinstance(rewriter, Rewriter):
            return Work(partial(_refuse, refusal), partial(rewriter.arewrite, feedback))
        work = maybe_async(partial(rewriter.rewrite, feedback), refusal, pool="generators")
        if isinstance(rewriter, AsyncRewriter):
            return replace(work, awaited=partial(rewriter.arewrite, feedback))
        return work


def _refuse(refusal: str) -> object:
    raise UsageError(refusal)


def _local() -> Rewriter:
    from guardrail.repair.local.rewriter import LocalRewriter  # only where an answer is rewritten

    return LocalRewriter()


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
