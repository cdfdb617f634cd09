"""Two engines in a row: the first judges everything, the second only what the first is unsure of.

The rules decompose, so an answer of which nothing is escalated costs the second engine nothing at all. What only
declines to answer is shown to the second engine alone, if it can tell that a refusal is false.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from guardrail.check.boundary import verified
from guardrail.check.contract import (
    AsyncEngine,
    Decomposer,
    Engine,
    Gatherer,
    NotJudged,
    RefusalJudge,
    VerifyRequest,
    gatherer_of,
    seconds_left,
    unverified,
)
from guardrail.check.drivers import Program, arun, pure, run
from guardrail.check.entities import cluster
from guardrail.check.logic import check_logic
from guardrail.check.matrix import evidence_texts, namesake_passages
from guardrail.errors import ConfigurationError
from guardrail.policy.calibration import engine_identity
from guardrail.types import Cause, ErrorType, Passage, Row, Segment, SupportMatrix, Usage

LOW, HIGH = 0.2, 0.8
"""The unsure band of the local engine: on training data a wider one picks mistakes hardly better than chance.

``benchmarks/cascade.py`` prints the table; docs/llm.md has it.
"""

_RESERVE = 0.2
"""Seconds (and share of the time left, if less) before the deadline at which an engine has to be back: one that is
still at work then would take the other's verdicts along."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CascadeEngine:
    """Asks the second engine only where the first is unsure.

    A segment is escalated if the first engine's score lies within the band, if the first engine could not judge it, or
    if what is wrong with it is one of ``always``. The second engine's row, claims and logic then stand in place of the
    first's. Where the second cannot judge a segment (it fails, or too little time is left) the first's row stands, as
    it would without a cascade, and its reason says so; with ``fallback="unverified"`` the segment is UNVERIFIED.

    ``usage``: ``escalated`` of ``screened`` segments went on. ``calls_saved`` are the calls that the second engine's
    plan makes for the whole answer less those that it makes for what is escalated; caches and retries left aside, and
    0 for an engine that asks no model.

    Attributes:
        first: Fast and cheap; the local engine.
        second: Slow and good; the LLM engine, say.
        low: Lower end of the unsure band, inclusive (a score, 0..1). The band should hold the policy's threshold.
        high: Upper end, inclusive.
        always: Error types for which the second is asked however sure the first is. A logic error is one that the rules
            see; a mix-up of namesakes shows only later, so with MIXED_ENTITIES all that a namesake's passage supports
            goes on.
        unverified_too: Whether to escalate what the first could not judge.
        fallback: ``first`` or ``unverified``, see above.
        least_seconds: The second is not asked where less time is left than this.
        refusals: Whether to ask the second about sentences that only decline to answer, which costs a call for each
            answer that has some: "The documents do not mention the fee" may be false.
    """

    first: Engine | AsyncEngine
    second: Engine | AsyncEngine
    low: float = LOW
    high: float = HIGH
    always: frozenset[ErrorType] = frozenset()
    unverified_too: bool = True
    fallback: Literal["first", "unverified"] = "first"
    least_seconds: float = 1.0
    refusals: bool = True

    def __post_init__(self) -> None:
        for name in ("first", "second"):
            if not isinstance(engine := getattr(self, name), (Engine, AsyncEngine)):
                raise ConfigurationError(
                    f"{name} must be an engine with `name` and `verify` or `averify`, got {type(engine).__name__}."
                )
        if not 0.0 <= self.low <= self.high <= 1.0:
            raise ConfigurationError(f"the band must be 0 <= low <= high <= 1, got {self.low!r} and {self.high!r}.")
        if self.fallback not in ("first", "unverified"):
            raise ConfigurationError(f"fallback must be 'first' or 'unverified', got {self.fallback!r}.")
        if unknown := [error for error in self.always if not isinstance(error, ErrorType)]:
            raise ConfigurationError(f"always must hold ErrorType values, got {unknown[0]!r}.")

    @property
    def name(self) -> str:
        """See Engine.name."""
        return "cascade"

    @property
    def expected_seconds(self) -> float | None:
        """Seconds that the second engine may need, if it says so."""
        needs = getattr(self.second, "expected_seconds", None)
        return float(needs) if isinstance(needs, (int, float)) else None

    @property
    def judges_refusals(self) -> bool:
        """See RefusalJudge: as far as the second engine does."""
        return self.refusals and isinstance(self.second, RefusalJudge) and self.second.judges_refusals

    @property
    def gatherer(self) -> Gatherer | None:
        """See LLMEngine.gatherer."""
        return gatherer_of(self.second)

    @property
    def identity(self) -> str:
        """Both engines and when the second is asked: what a calibrated threshold was chosen for."""
        rules = f"{self.low:g}..{self.high:g} {'+unverified' if self.unverified_too else ''} {self.fallback}"
        types = ",".join(sorted(self.always))
        return f"cascade [{engine_identity(self.first)}] [{engine_identity(self.second)}] {rules} always:{types}"

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """See Engine.verify.

        Raises:
            UsageError: one of the engines can only be awaited.
        """
        return run(self._ask(request))

    async def averify(self, request: VerifyRequest) -> SupportMatrix:
        """See AsyncEngine.averify. A sync engine works in a thread."""
        return await arun(self._ask(request))

    def _ask(self, request: VerifyRequest) -> Program[SupportMatrix]:
        request = replace(request, deadline=_sooner(request.deadline))
        claims = tuple(segment for segment in request.segments if segment.skipped is None)
        first = SupportMatrix(rows=())
        if claims:
            plain = _narrowed(request, claims, first.usage)
            first = yield from verified(self.first, plain, pool="cascade-first", grace=_grace(request))
        doubtful = {segment.id for segment in (yield from pure(self._doubts, request, claims, first))}
        doubts = tuple(s for s in request.segments if s.skipped is not None or s.id in doubtful)
        usage = Usage(screened=len(request.segments), calls_saved=self._saved(request.segments, doubts))
        if not doubts:
            return replace(first, usage=first.usage + usage)
        narrowed = _narrowed(request, doubts, first.usage)
        left = seconds_left(narrowed.deadline)
        if left is not None and left < self.least_seconds:
            second = unverified(narrowed, "too little time was left", Cause.TIMEOUT)
        else:
            # Threads of their own: second engines that hang leave the first ones of other cascades theirs.
            second = yield from verified(self.second, narrowed, pool="cascade-second", grace=_grace(narrowed))
            usage = replace(usage, escalated=len(doubts))
        return self._merged(request.segments, first, second, usage)

    def _doubts(self, request: VerifyRequest, claims: Sequence[Segment], matrix: SupportMatrix) -> tuple[Segment, ...]:
        """Those of the segments that the first has judged to escalate, in order."""
        namesakes: frozenset[int] = frozenset()
        if ErrorType.MIXED_ENTITIES in self.always:
            namesakes = namesake_passages(cluster(request.passages))
        return tuple(
            segment
            for segment, row in zip(claims, matrix.rows, strict=True)
            if self._unsure(row)
            or any((cell := row.cells[n]) is not None and cell.supported >= 0.5 for n in namesakes)
            or (bool(self.always) and not self.always.isdisjoint(self._errors(segment, row, request.passages)))
        )

    def _unsure(self, row: Row) -> bool:
        return self.unverified_too if row.unverified is not None else self.low <= row.supported <= self.high

    def _errors(self, segment: Segment, row: Row, passages: Sequence[Passage]) -> set[ErrorType]:
        """What is wrong with the segment as far as the first engine and the rules of logic see it."""
        found = set()
        if row.unverified is None and row.supported <= self.high:
            found.add(row.error_type or ErrorType.HALLUCINATION)
        if row.unverified is None and segment.relations:
            logic = check_logic(segment.id, segment.text, segment.relations, evidence_texts(row, passages))
            if logic.consistent is False:
                found.add(logic.error_type or ErrorType.OTHER_LOGIC)
        return found

    def _saved(self, segments: Sequence[Segment], doubts: Sequence[Segment]) -> int:
        if not isinstance(self.second, Decomposer):
            return 0
        if getattr(self.second, "plan", "fast") != "thorough":
            return 2 - bool(doubts)
        return 1 + len(segments) - len(doubts)

    def _merged(
        self, segments: Sequence[Segment], first: SupportMatrix, second: SupportMatrix, usage: Usage
    ) -> SupportMatrix:
        before = {row.segment_id: row for row in first.rows}
        asked = {row.segment_id: row for row in second.rows}
        judged = {ident for ident, row in asked.items() if row.unverified is None}
        rows = tuple(
            self._fallen_back(before[s.id], asked[s.id])
            if s.id in asked and s.id in before and s.id not in judged
            else asked.get(s.id) or before[s.id]
            for s in segments
        )
        claims = {row.segment_id: row for row in first.claims}
        claims |= {
            row.segment_id: row for row in second.claims if row.unverified is None or row.segment_id not in claims
        }
        # A fault that it found in the reasoning stands even where it could not judge the facts.
        reasons = tuple(v for v in second.logic if v.segment_id in judged or v.consistent is False)
        replaced = judged | {verdict.segment_id for verdict in reasons}
        kept = tuple(verdict for verdict in first.logic if verdict.segment_id not in replaced)
        return SupportMatrix(
            rows=rows,
            claims=tuple(claims.values()),
            logic=(*kept, *reasons),
            usage=first.usage + second.usage + usage,
        )

    def _fallen_back(self, row: Row, asked: Row) -> Row:
        """What stands where the second engine did not judge: never more than the first said by itself.

        Where nobody judged, the cause is the second's: to step in for the first is what it is there for.
        """
        note = f"No second opinion: {asked.unverified}."
        if row.unverified is not None:
            return replace(row, unverified=f"{row.unverified}. {note}", cause=asked.cause)
        if self.fallback == "unverified":
            unsure = NotJudged(f"the first engine was unsure. {note}", asked.cause or Cause.ENGINE)
            return replace(unsure.row(row.segment_id, (None,) * len(row.cells)), evidence=row.evidence)
        return replace(row, reason=f"{row.reason} {note}".strip())


def _narrowed(request: VerifyRequest, segments: tuple[Segment, ...], spent: Usage) -> VerifyRequest:
    wanted = {segment.id for segment in segments}
    return replace(
        request,
        segments=segments,
        must_read=tuple(pair for pair in request.must_read if pair[0] in wanted),
        spent=request.spent + spent,
    )


def _sooner(deadline: float | None) -> float | None:
    left = seconds_left(deadline)
    return None if deadline is None or left is None else deadline - min(_RESERVE, _RESERVE * left)


def _grace(request: VerifyRequest) -> float:
    """Past the deadline an engine has half of what is kept in reserve."""
    left = seconds_left(request.deadline)
    return _RESERVE / 2 if left is None else min(_RESERVE / 2, left / 10)
