"""The one contract of an engine: fill the support matrix. Everything else is a reduction of it.

A new engine is a class with ``name`` and ``verify`` (or ``averify`` for async code); ``guardrail.testing`` holds the
conformance suite to run on it.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar, get_args, runtime_checkable

from guardrail.errors import EngineError
from guardrail.types import (
    Cause,
    Cell,
    Decomposition,
    EntityGroup,
    Passage,
    Row,
    Segment,
    SupportMatrix,
    Usage,
)

if TYPE_CHECKING:
    from guardrail.check.decompose import Readers

_T = TypeVar("_T")
_R = TypeVar("_R")

Linking = Literal["argmax", "hungarian"]
"""How several groups share out the namesakes (``guardrail.check.entities.link``)."""

LINKINGS: tuple[str, ...] = get_args(Linking)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyRequest:
    """Work for an engine: judge every segment, and the claims of those that have any, against the passages.

    ``must_read`` maps a segment id to numbers of passages whose cell may not be left out (namesakes, citations).
    ``deadline`` is a ``time.monotonic()`` value after which rows not yet judged come back unverified; None = no limit.
    ``spent`` is what the answer has cost so far. ``groups`` are the segments by the individual that they speak of;
    ``answer`` is the text that the segments' spans are offsets into, "" where they were not drawn from it.
    """

    segments: tuple[Segment, ...]
    passages: tuple[Passage, ...]
    question: str | None = None
    must_read: tuple[tuple[str, tuple[int, ...]], ...] = ()
    deadline: float | None = None
    spent: Usage = field(default_factory=Usage)
    groups: tuple[EntityGroup, ...] = ()
    answer: str = ""

    def expired(self) -> bool:
        """Whether the time is over."""
        return self.deadline is not None and time.monotonic() > self.deadline


@dataclass(frozen=True, slots=True, kw_only=True)
class DecomposeRequest:
    """Work for an engine that takes answers apart itself; ``parts`` is what the rules made of the answer."""

    answer: str
    question: str | None
    parts: Decomposition
    deadline: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An answer taken apart. ``groups`` is None where the rules are to group; ``reason``: what did not go as asked."""

    parts: Decomposition
    groups: tuple[EntityGroup, ...] | None = None
    usage: Usage = field(default_factory=Usage)
    reason: str = ""


@runtime_checkable
class Decomposer(Protocol):
    """What an Engine has besides ``verify`` if it decomposes and groups."""

    def decompose(self, request: DecomposeRequest) -> Draft:
        """Segments and groups of the answer. Raise EngineError where it cannot be done: the rules' parts stand."""
        ...


@runtime_checkable
class AsyncDecomposer(Protocol):
    """The same for an engine whose work is awaited."""

    def adecompose(self, request: DecomposeRequest) -> Awaitable[Draft]:
        """See Decomposer.decompose."""
        ...


@runtime_checkable
class Engine(Protocol):
    """Judges segments against passages; called from any thread, several calls at once."""

    @property
    def name(self) -> str:
        """Short name for reports and traces."""
        ...

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """One row per segment, in order. Raise EngineError when nothing can be judged; never pad a row."""
        ...


@runtime_checkable
class AsyncEngine(Protocol):
    """The same for an engine whose work is awaited."""

    @property
    def name(self) -> str:
        """Short name for reports and traces."""
        ...

    def averify(self, request: VerifyRequest) -> Awaitable[SupportMatrix]:
        """See Engine.verify."""
        ...


@dataclass(frozen=True, slots=True)
class PartialRows:
    """Some segments of an answer, read before all of it was there.

    ``own`` says per segment whether it counts as one of the answer's segments; ``rows`` gives the rows for an answer
    with that many of them.
    """

    own: tuple[bool, ...]
    rows: Callable[[int], tuple[Row, ...]]


@runtime_checkable
class IncrementalEngine(Protocol):
    """What an Engine has besides ``verify`` if a row depends on how many segments the whole answer has (streams)."""

    @property
    def longest(self) -> int:
        """Number of segments from which on it makes no difference."""
        ...

    def read_part(self, request: VerifyRequest) -> PartialRows:
        """Like Engine.verify, for an answer whose length is not known yet."""
        ...


@runtime_checkable
class RefusalJudge(Protocol):
    """What an Engine has besides ``verify`` if it can tell that a refusal is false."""

    @property
    def judges_refusals(self) -> bool:
        """Whether ``segments`` of a request may hold segments that only decline to answer (``skipped`` says so)."""
        ...


class Gatherer(Protocol):
    """Makes the calls of many answers together: what an engine has as ``gatherer`` that asks in batches."""

    def in_order(self, work: Callable[[_T], _R], items: Iterable[_T]) -> Iterator[_R]:
        """``work`` of each item, in their order; an item may be worked on several times until its replies are there."""
        ...


def gatherer_of(engine: Engine | AsyncEngine) -> Gatherer | None:
    """Who makes this engine's calls for many answers together; None = each answer makes its own."""
    found: Gatherer | None = getattr(engine, "gatherer", None)
    return found


def readers_of(engine: Engine | AsyncEngine) -> Readers | None:
    """Who takes apart an answer that is checked again as it grows; None = each answer is another one."""
    found: Readers | None = getattr(engine, "readers", None)
    return found


def seconds_left(deadline: float | None) -> float | None:
    """Seconds until a ``time.monotonic()`` deadline, at least 0; None = no limit."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


@dataclass(frozen=True, slots=True)
class NotJudged:
    """What keeps a segment, or a claim, from being judged: the reason for people, and its kind."""

    reason: str
    cause: Cause

    def row(self, ident: str, cells: Sequence[Cell | None]) -> Row:
        """The row that says so."""
        return Row(segment_id=ident, cells=tuple(cells), unverified=self.reason, cause=self.cause)


def unverified(request: VerifyRequest, reason: str, cause: Cause = Cause.ENGINE) -> SupportMatrix:
    """A matrix that judges nothing: what stands where an engine failed."""
    empty = (None,) * len(request.passages)
    return SupportMatrix(rows=tuple(NotJudged(reason, cause).row(s.id, empty) for s in request.segments))


def validated_draft(request: DecomposeRequest, draft: Draft) -> Draft:
    """Check that a draft loses nothing of the answer and that its ids and spans hold.

    Raises:
        EngineError: ids of segments or claims repeat, a span is outside the answer, a piece that the rules would check
            is in no segment, or the groups do not hold each checked segment once.
    """
    ids = [s.id for s in draft.parts.segments] + [c.id for s in draft.parts.segments for c in s.claims]
    if len(set(ids)) < len(ids):
        raise EngineError("the decomposition has segments or claims of the same id")
    spans = [s.span for s in draft.parts.segments]
    if not all(0 <= start < end <= len(request.answer) for start, end in spans):
        raise EngineError("the decomposition has a segment outside the answer")
    lost = [s for s in request.parts.checked if not any(s.span.overlaps(span) for span in spans)]
    if lost:
        raise EngineError(f"the decomposition has lost a piece of the answer: {lost[0].text:.60}")
    if draft.groups is not None:
        grouped = [s for g in draft.groups for s in g.segments]
        if sorted(grouped) != sorted(s.id for s in draft.parts.checked):
            raise EngineError("the groups do not hold each segment once")
    return draft
