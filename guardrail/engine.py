"""The one contract of an engine: fill the support matrix. Everything else is a reduction of it.

A new engine is a class with ``name`` and ``verify`` (or ``averify`` for async code); ``guardrail.testing`` holds the
conformance suite to run on it.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from guardrail.errors import EngineError
from guardrail.types import ErrorType, Passage, Row, Segment, SupportMatrix


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyRequest:
    """Work for an engine: judge every segment against the passages.

    ``must_read`` maps a segment id to numbers of passages whose cell may not be left out (namesakes, citations).
    ``deadline`` is a ``time.monotonic()`` value after which rows not yet judged come back unverified; None = no limit.
    """

    segments: tuple[Segment, ...]
    passages: tuple[Passage, ...]
    question: str | None = None
    must_read: tuple[tuple[str, tuple[int, ...]], ...] = ()
    deadline: float | None = None

    def expired(self) -> bool:
        """Whether the time is over."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def seconds_left(self) -> float | None:
        """Seconds until the deadline, at least 0; None = no limit."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())


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


def unverified(request: VerifyRequest, reason: str) -> SupportMatrix:
    """A matrix that judges nothing: what stands where an engine failed."""
    empty = (None,) * len(request.passages)
    return SupportMatrix(rows=tuple(Row(segment_id=s.id, cells=empty, unverified=reason) for s in request.segments))


def account(request: VerifyRequest, matrix: SupportMatrix) -> SupportMatrix:
    """Match rows to segments by id, so that each segment has exactly one honest row.

    A missing, doubled or misshapen row (wrong number of cells, a probability outside 0..1, evidence outside the
    passages) becomes unverified, and an unverified row keeps no numbers; rows of unknown segments raise EngineError,
    for then the whole reply cannot be trusted.
    """
    known = {s.id for s in request.segments}
    by_id: dict[str, list[Row]] = {}
    for row in matrix.rows:
        if row.segment_id not in known:
            raise EngineError(f"the engine judged segment {row.segment_id!r}, which was not asked for")
        by_id.setdefault(row.segment_id, []).append(row)
    rows = []
    for segment, blank in zip(request.segments, unverified(request, "").rows, strict=True):
        found = by_id.get(segment.id, [])
        fault = _fault(found, request.passages)
        if fault is not None:
            rows.append(replace(blank, unverified=fault))
        elif (why := found[0].unverified) is not None:
            rows.append(replace(blank, unverified=why, evidence=found[0].evidence))  # no number of it may count
        else:
            rows.append(found[0])
    return SupportMatrix(rows=tuple(rows))


def _fault(found: list[Row], passages: Sequence[Passage]) -> str | None:
    if not found:
        return "the engine gave no verdict for this segment"
    if len(found) > 1:
        return f"the engine gave {len(found)} verdicts for this segment"
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
