"""The filled matrix: every row accounted for, and what is known of an answer by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from guardrail.check.contract import NotJudged, VerifyRequest
from guardrail.errors import EngineError
from guardrail.types import (
    Cause,
    Entity,
    EntityGroup,
    ErrorType,
    LogicVerdict,
    Passage,
    Row,
    Segment,
    SupportMatrix,
)

if TYPE_CHECKING:
    from guardrail.check.entities import Mix

_LOGIC_EVIDENCE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedAnswer:
    """What is known of an answer once its matrix is filled: findings and scores are reductions of it.

    Attributes:
        answer: The text that the segments' spans index.
        passages: In the order of the rows' cells.
        segments: Those to judge, in order.
        matrix: A row for every segment, and for claims where the engine judged claims.
        threshold: Score (0..1) from which a segment or claim counts as supported.
        entities: The individuals that the passages describe.
        groups: The segments by individual, linked where passages describe namesakes.
        mixes: Segments that belong to another namesake than their group.
        logic: Verdicts on the relations of segments.
    """

    answer: str
    passages: tuple[Passage, ...]
    segments: tuple[Segment, ...]
    matrix: SupportMatrix
    threshold: float
    entities: tuple[Entity, ...] = ()
    groups: tuple[EntityGroup, ...] = ()
    mixes: tuple[Mix, ...] = ()
    logic: tuple[LogicVerdict, ...] = ()
    _index: _Index = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index = _Index(
            rows={row.segment_id: row for row in self.matrix.rows},
            claims={row.segment_id: row for row in self.matrix.claims},
            groups={ident: group for group in self.groups for ident in group.segments},
            mixes={mix.segment_id: mix for mix in self.mixes},
            logic={verdict.segment_id: verdict for verdict in self.logic},
        )
        object.__setattr__(self, "_index", index)

    def row(self, segment_id: str) -> Row:
        """The row of a segment."""
        return self._index.rows[segment_id]

    def claim(self, claim_id: str) -> Row | None:
        """The row of a claim, where the engine judged it."""
        return self._index.claims.get(claim_id)

    def relation(self, segment_id: str) -> LogicVerdict | None:
        """The verdict on the relation that a segment states."""
        return self._index.logic.get(segment_id)

    def mix(self, segment_id: str) -> Mix | None:
        """Whose facts a segment holds, where it is another individual than its group is about."""
        return self._index.mixes.get(segment_id)

    def group(self, segment_id: str) -> EntityGroup | None:
        """The group of a segment."""
        return self._index.groups.get(segment_id)

    def foreign_to(self, segment_id: str) -> frozenset[int]:
        """Numbers of the passages about namesakes of the individual that a segment is about."""
        group = self.group(segment_id)
        if group is None or group.entity is None:
            return frozenset()
        return namesake_passages([entity for entity in self.entities if entity.id != group.entity.id])


@dataclass(frozen=True, slots=True)
class _Index:
    rows: dict[str, Row]
    claims: dict[str, Row]
    groups: dict[str, EntityGroup]
    mixes: dict[str, Mix]
    logic: dict[str, LogicVerdict]


def namesake_passages(entities: Sequence[Entity]) -> frozenset[int]:
    """Numbers of the passages about individuals that share their name with others."""
    return frozenset(number for entity in entities if entity.shares_name for number in entity.passages)


def evidence_texts(row: Row, passages: Sequence[Passage]) -> tuple[str, ...]:
    """What the logic check reads: the quoted sentences, then those of single cells."""
    spans = list(row.evidence)
    for number, cell in enumerate(row.cells):
        if cell is not None:
            spans.extend((number, span) for span in cell.evidence if (number, span) not in spans)
    return tuple(span.of(passages[number].text) for number, span in spans[:_LOGIC_EVIDENCE])


def with_late_rows(
    matrix: SupportMatrix, late: Sequence[Segment], passages: Sequence[Passage], most: int
) -> SupportMatrix:
    """The matrix with rows of the segments that no engine was asked for, since there are so many before them."""
    reason = f"only the first {most} segments of an answer are checked"
    rows = tuple(NotJudged(reason, Cause.LENGTH).row(segment.id, (None,) * len(passages)) for segment in late)
    return replace(matrix, rows=(*matrix.rows, *rows))


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
