"""A scripted engine: says what it is told to, without a model."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from guardrail.check.contract import NotJudged, VerifyRequest
from guardrail.types import Cause, Cell, Row, Segment, Span, SupportMatrix, Verdict


@dataclass(frozen=True, slots=True)
class FakeEngine:
    """An engine that says what it is told to, without a model.

    Attributes:
        verdicts: By a substring of the segment text, a verdict (``supported``, ``contradicted``, ``unsupported``,
            ``unverified``) or an exception to raise; the first that fits counts.
        default: Verdict where no key fits.
        seconds: Sleep before each reply.
        calls: Requests received so far.
    """

    verdicts: Mapping[str, str | Exception] = field(default_factory=dict)
    default: str | Exception = Verdict.SUPPORTED
    seconds: float = 0.0
    calls: list[VerifyRequest] = field(default_factory=list, compare=False)
    name: str = "fake"

    def __post_init__(self) -> None:
        for verdict in (self.default, *self.verdicts.values()):
            if not isinstance(verdict, Exception) and Verdict(verdict) is Verdict.ABSTAINED:
                raise ValueError("a segment cannot be 'abstained', only a whole answer.")

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """See Engine.verify."""
        self.calls.append(request)
        time.sleep(self.seconds)
        return SupportMatrix(rows=tuple(self._row(segment, request) for segment in request.segments))

    def _row(self, segment: Segment, request: VerifyRequest) -> Row:
        verdict = next((v for key, v in self.verdicts.items() if key in segment.text), self.default)
        if isinstance(verdict, Exception):
            raise verdict
        obstacle = _LATE if request.expired() else _SCRIPTED if verdict == Verdict.UNVERIFIED else None
        if obstacle is not None:
            return obstacle.row(segment.id, (None,) * len(request.passages))
        supported, contradicted = _CERTAIN[Verdict(verdict)]
        spans = [(n, Span(0, len(p.text))) for n, p in enumerate(request.passages) if p.text]
        cell = Cell(supported=supported, contradicted=contradicted)
        return Row(
            segment_id=segment.id,
            cells=(cell,) * len(request.passages),
            supported=supported,
            contradicted=contradicted,
            evidence=() if verdict == "unsupported" else tuple(spans[:1]),
            reason=f"scripted: {verdict}",
        )


_LATE = NotJudged("the deadline passed", Cause.TIMEOUT)
_SCRIPTED = NotJudged("scripted", Cause.ENGINE)
_CERTAIN = {Verdict.SUPPORTED: (0.95, 0.02), Verdict.CONTRADICTED: (0.03, 0.96), Verdict.UNSUPPORTED: (0.1, 0.1)}
