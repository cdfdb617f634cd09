"""An engine that reads each segment of a growing answer once, as soon as it is settled, and remembers its row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from guardrail.check.boundary import verified
from guardrail.check.contract import (
    AsyncEngine,
    Engine,
    IncrementalEngine,
    NotJudged,
    PartialRows,
    RefusalJudge,
    VerifyRequest,
)
from guardrail.check.decompose import Readers
from guardrail.check.drivers import Program, arun, pure, run
from guardrail.types import Cause, LogicVerdict, Row, Segment, SupportMatrix, Usage

_LATER = NotJudged("not read yet", Cause.LENGTH)

_Key = tuple[str, tuple[int, ...]]


@dataclass(slots=True)
class _Known:
    """A row, and where it may change with the length of the answer the part that it was read in."""

    row: Row
    logic: LogicVerdict | None = None
    part: PartialRows | None = None
    number: int = 0

    @property
    def own(self) -> bool:
        return self.part is None or self.part.own[self.number]


@dataclass(slots=True)
class Memory:
    """The engine of one stream, which remembers what it knows of the segments.

    Attributes:
        inner: The guard's engine.
        until: Only segments that end here are read; None = all.
        long: Assume that the answer will be long, rather than that nothing follows.
        known: What was read, by segment.
        readers: Take the answer apart as it grows.
    """

    inner: Engine | AsyncEngine
    until: int | None = None
    long: bool = False
    known: dict[_Key, _Known] = field(default_factory=dict)
    readers: Readers = field(default_factory=Readers)
    usage: Usage = field(default_factory=Usage)
    count: int = 0

    @property
    def depends(self) -> bool:
        """Whether verdicts may still change with the number of segments to come."""
        return self.until is not None and isinstance(self.inner, IncrementalEngine) and self.count < self.inner.longest

    @property
    def name(self) -> str:
        """Name of the engine within."""
        return self.inner.name

    @property
    def judges_refusals(self) -> bool:
        """As the engine within."""
        return isinstance(self.inner, RefusalJudge) and self.inner.judges_refusals

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """See Engine.verify; what the engine within fails at is remembered as unverified."""
        return run(self._verify(request))

    async def averify(self, request: VerifyRequest) -> SupportMatrix:
        """See AsyncEngine.averify."""
        return await arun(self._verify(request))

    def _verify(self, request: VerifyRequest) -> Program[SupportMatrix]:
        if (new := self._missing(request)) is not None:
            if isinstance(self.inner, IncrementalEngine):
                reading = _Reading(self.inner, self.name)
                matrix = yield from verified(reading, new)
                self._learn(new, matrix, reading.part)
            else:
                self._learn(new, (yield from verified(self.inner, new)), None)
        return (yield from pure(self._matrix, request))

    def _missing(self, request: VerifyRequest) -> VerifyRequest | None:
        """What has to be read now, each segment once."""
        wanted = {_key(s, request): s for s in self._due(request)}
        new = tuple(s for key, s in wanted.items() if key not in self.known)
        if not new:
            return None
        ids = {s.id for s in new}
        must_read = tuple(pair for pair in request.must_read if pair[0] in ids)
        return replace(request, segments=new, must_read=must_read)

    def _learn(self, request: VerifyRequest, matrix: SupportMatrix, part: PartialRows | None) -> None:
        """Remember what was read."""
        self.usage = self.usage + matrix.usage
        logic = {verdict.segment_id: verdict for verdict in matrix.logic}
        for number, (segment, row) in enumerate(zip(request.segments, matrix.rows, strict=True)):
            judged = part if row.unverified is None else None
            self.known[_key(segment, request)] = _Known(row, logic.get(segment.id), judged, number)

    def _matrix(self, request: VerifyRequest) -> SupportMatrix:
        """The rows of the request, as far as they are known."""
        due = {s.id: self.known[_key(s, request)] for s in self._due(request)}
        self.count = sum(known.own for known in due.values())
        count = self.inner.longest if self.long and isinstance(self.inner, IncrementalEngine) else self.count
        read: dict[int, tuple[Row, ...]] = {}  # by part: its rows for that count
        later = _LATER.row("", (None,) * len(request.passages))
        rows, logic = [], []
        for segment in request.segments:
            known = due.get(segment.id)
            row = later if known is None else known.row
            if known is not None and known.part is not None:
                row = read.setdefault(id(known.part), known.part.rows(count))[known.number]
            if known is not None and known.logic is not None:
                logic.append(replace(known.logic, segment_id=segment.id))
            rows.append(replace(row, segment_id=segment.id))
        return SupportMatrix(rows=tuple(rows), logic=tuple(logic), usage=self.usage)

    def _due(self, request: VerifyRequest) -> Sequence[Segment]:
        return [s for s in request.segments if self.until is None or s.span.end <= self.until]


def _key(segment: Segment, request: VerifyRequest) -> _Key:
    return segment.text, dict(request.must_read).get(segment.id, ())


@dataclass(slots=True)
class _Reading:
    """The engine as one that gives the rows of a part; it keeps the part."""

    inner: IncrementalEngine
    name: str
    part: PartialRows | None = None

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        part = self.inner.read_part(request)
        matrix = SupportMatrix(rows=part.rows(sum(part.own)))
        self.part = part
        return matrix
