"""An engine that takes an answer apart into claims and judges each by a table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from guardrail import Passage
from guardrail.check.contract import Draft
from guardrail.types import Cell, Claim, Row, Span, SupportMatrix, Usage

ANSWER = "Larkmoor Dam is 64 metres high and green. Boats are banned."
PASSAGES = [
    Passage(id="dam", text="Larkmoor Dam is 64 metres high."),
    Passage(id="lake", text="The dam is grey. Boats are banned."),
]
S, C, N = (0.9, 0.0), (0.0, 0.9), (0.1, 0.1)
TABLE = {  # claim text: cells by passage, over all
    "Larkmoor Dam is 64 metres high": (S, N, S),
    "Larkmoor Dam is green": (N, C, C),
    "Larkmoor Dam is a dam": (None, None, None),
    "Boats are banned": (N, S, S),
}

ASKED = Usage(calls=1, rounds=1, input_tokens=300, output_tokens=40, cost=0.002)


@dataclass(frozen=True)
class ClaimJudge:
    """Takes the answer apart into claims and judges each as TABLE says."""

    usage: Usage = ASKED
    name: str = "claims"

    def decompose(self, request):
        first, second = request.parts.segments
        texts = [list(TABLE)[:3], list(TABLE)[3:]]
        segments = tuple(
            replace(
                segment,
                claims=tuple(
                    Claim(
                        id=f"{segment.id}.{n}",
                        text=text,
                        triplet=("Larkmoor Dam", "is", text.rpartition(" is ")[2]) if " is " in text else None,
                        span=segment.span,
                    )
                    for n, text in enumerate(said, 1)
                ),
            )
            for segment, said in zip((first, second), texts, strict=True)
        )
        return Draft(parts=replace(request.parts, segments=segments), usage=self.usage)

    def verify(self, request):
        claims = [claim for segment in request.segments for claim in segment.claims]
        rows = [self._row(s.id, (N, C, C) if n == 0 else (N, S, S), request) for n, s in enumerate(request.segments)]
        judged = tuple(self._row(claim.id, TABLE[claim.text], request) for claim in claims)
        return SupportMatrix(rows=tuple(rows), claims=judged, usage=self.usage)

    def _row(self, ident, judged, request):
        *cells, over_all = judged
        if over_all is None:
            return Row(segment_id=ident, cells=(None,) * len(cells), unverified="no reply for this claim")
        number = cells.index(over_all)
        return Row(
            segment_id=ident,
            cells=tuple(Cell(supported=p, contradicted=q) for p, q in cells),
            supported=over_all[0],
            contradicted=over_all[1],
            evidence=((number, Span(0, len(request.passages[number].text))),),
        )
