"""The one contract of an engine: fill the support matrix. Everything else is a reduction of it.

A new engine is a class with ``name`` and ``verify`` (or ``averify`` for async code); ``guardrail.testing`` holds the
conformance suite to run on it.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from guardrail.errors import EngineError
from guardrail.types import (
    Cause,
    Cell,
    Decomposition,
    EntityGroup,
    ErrorType,
    Passage,
    Row,
    Segment,
    Span,
    SupportMatrix,
    Usage,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyRequest:
    """Work for an engine: judge every segment, and the claims of those that have any, against the passages.

    ``must_read`` maps a segment id to numbers of passages whose cell may not be left out (namesakes, citations).
    ``deadline`` is a ``time.monotonic()`` value after which rows not yet judged come back unverified; None = no limit.
    ``spent`` is what the answer has cost so far.
    """

    segments: tuple[Segment, ...]
    passages: tuple[Passage, ...]
    question: str | None = None
    must_read: tuple[tuple[str, tuple[int, ...]], ...] = ()
    deadline: float | None = None
    spent: Usage = field(default_factory=Usage)

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


def validated(request: VerifyRequest, matrix: SupportMatrix) -> SupportMatrix:
    """Match rows to segments, and to claims, by id, so that each has exactly one honest row.

    A missing, doubled or misshapen row (wrong number of cells, a probability outside 0..1, evidence outside the
    passages) becomes unverified, and an unverified row keeps no numbers and has a cause; rows of unknown segments raise
    EngineError, for then the whole reply cannot be trusted.
    """
    ids = [s.id for s in request.segments]
    claims = [c.id for s in request.segments for c in s.claims]
    strangers = sorted({v.segment_id for v in matrix.logic} - set(ids))
    if strangers:
        raise _unasked(f"the logic of segment {strangers[0]!r}")
    return replace(
        matrix,
        rows=_validated(ids, matrix.rows, request.passages, "segment"),
        claims=_validated(claims, matrix.claims, request.passages, "claim") if matrix.claims else (),
    )


def _validated(ids: Sequence[str], rows: Sequence[Row], passages: Sequence[Passage], what: str) -> tuple[Row, ...]:
    by_id: dict[str, list[Row]] = {ident: [] for ident in ids}
    for row in rows:
        if row.segment_id not in by_id:
            raise _unasked(f"{what} {row.segment_id!r}")
        by_id[row.segment_id].append(row)
    return tuple(valid_row(ident, found, passages, what) for ident, found in by_id.items())


def _unasked(what: str) -> EngineError:
    return EngineError(f"the engine judged {what}, which was not asked for", cause=Cause.REPLY)


def valid_row(ident: str, found: list[Row], passages: Sequence[Passage], what: str) -> Row:
    empty = (None,) * len(passages)
    fault = _fault(found, passages, what)
    if fault is not None:
        return NotJudged(fault, Cause.REPLY).row(ident, empty)
    row = found[0]
    if row.unverified is None:
        return row if row.cause is None else replace(row, cause=None)
    cause = row.cause if isinstance(row.cause, Cause) else Cause.ENGINE
    # No number of it may count.
    return replace(NotJudged(row.unverified, cause).row(ident, empty), evidence=row.evidence)


def _fault(found: list[Row], passages: Sequence[Passage], what: str) -> str | None:
    if not found:
        return f"the engine gave no verdict for this {what}"
    if len(found) > 1:
        return f"the engine gave {len(found)} verdicts for this {what}"
    row = found[0]
    if len(row.cells) != len(passages):
        return f"the engine judged {len(row.cells)} passages of {len(passages)}"
    if not isinstance(row.error_type, ErrorType | None) or not isinstance(row.reason, str):
        return "the engine gave an error type or a reason of a wrong type"
    numbers = [row.supported, row.contradicted, *(p for c in row.cells if c for p in (c.supported, c.contradicted))]
    if not all(0.0 <= number <= 1.0 for number in numbers):  # NaN fails too
        return "the engine gave a probability outside 0..1"
    quoted = [*row.evidence, *((n, span) for n, cell in enumerate(row.cells) if cell for span in cell.evidence)]
    if not all(0 <= n < len(passages) and 0 <= start <= end <= len(passages[n].text) for n, (start, end) in quoted):
        return "the engine quoted evidence that is not in the passages"
    return None


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
    lost = [s for s in request.parts.checked if not any(_touch(s.span, span) for span in spans)]
    if lost:
        raise EngineError(f"the decomposition has lost a piece of the answer: {lost[0].text:.60}")
    if draft.groups is not None:
        grouped = [s for g in draft.groups for s in g.segments]
        if sorted(grouped) != sorted(s.id for s in draft.parts.checked):
            raise EngineError("the groups do not hold each segment once")
    return draft


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
