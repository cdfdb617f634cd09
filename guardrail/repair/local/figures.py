"""Exchange the hard facts that the evidence states otherwise: numbers, dates, names."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.repair.local.edits import Edit
from guardrail.text.facts import FactKind, compare, extract
from guardrail.types import Evidence, Span

_EXCHANGED = frozenset({FactKind.NUMBER, FactKind.QUANTITY, FactKind.PERCENT, FactKind.DATE, FactKind.NAME})
_SURE = 0.5
"""Weight from which a mismatch rarely fires on a true claim (guardrail.text.facts)."""


def corrected(answer: str, span: Span, evidence: Sequence[Evidence]) -> tuple[Edit, ...]:
    """Edits that put the evidence's values in place of those that it contradicts.

    () where there is none, or where something would be left that the evidence lacks or denies: then more than a value
    is wrong.
    """
    text = span.of(answer)
    sources = [extract(each.quote) for each in evidence]
    edits: list[Edit] = []
    for wrong in compare(extract(text), sources):
        if wrong.weight < _SURE:
            continue
        if wrong.kind not in _EXCHANGED or not wrong.contradicts or not wrong.evidence_value:
            return ()
        new = wrong.evidence_value
        if not any(new in each.quote for each in evidence) or new == wrong.claim_value:
            return ()  # a value that is no words of the evidence
        edits.append(Edit(Span(span.start + wrong.span.start, span.start + wrong.span.end), new))
    if not edits:
        return ()
    mended = text
    for (start, end), new in reversed(edits):
        mended = mended[: start - span.start] + new + mended[end - span.start :]
    left = [m for m in compare(extract(mended), sources) if m.weight >= _SURE]
    return () if left else tuple(edits)
