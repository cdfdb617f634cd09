"""An engine of your own in twenty lines, checked by the conformance suite, then used in a guard.

python examples/own_engine.py
"""

from __future__ import annotations

import re

from guardrail import Guard, Passage, Span
from guardrail.check.contract import VerifyRequest, unverified
from guardrail.testing import check_engine
from guardrail.types import Cell, Row, SupportMatrix


class SharedWords:
    """Supported = the share of a segment's words that a passage holds. Call your model or service here instead."""

    name = "shared-words"

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """One row per segment, in order; one cell per passage."""
        if request.expired():
            return unverified(request, "the deadline passed")
        rows = []
        for segment in request.segments:
            cells = [self._cell(segment.text, passage) for passage in request.passages]
            best = max(range(len(cells)), key=lambda n: cells[n].supported)
            rows.append(
                Row(
                    segment_id=segment.id,
                    cells=tuple(cells),
                    supported=cells[best].supported,
                    evidence=tuple((best, span) for span in cells[best].evidence),
                    reason="The passages share too few words with this.",
                )
            )
        return SupportMatrix(rows=tuple(rows))

    def _cell(self, claim: str, passage: Passage) -> Cell:
        claimed, given = _words(claim), _words(passage.text)
        share = len(claimed & given) / len(claimed) if claimed else 0.0
        return Cell(supported=share, contradicted=0.0, evidence=(Span(0, len(passage.text)),) if share else ())


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def main() -> None:
    """Check the engine's contract, then an answer with it."""
    engine = SharedWords()
    check_engine(engine)
    print("the engine keeps the contract")
    report = Guard(engine=engine).check(
        "The bridge was opened in 1931. Its towers are painted green.",
        ["The bridge over the Tarn was opened in 1931 and is 410 metres long."],
    )
    for finding in report.findings:
        print(f"{finding.verdict:<12} {finding.score:.2f}  {finding.text}")


if __name__ == "__main__":
    main()
