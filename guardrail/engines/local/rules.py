"""Verdicts without the model, for texts that it cannot read: only where a rule is sure, else "could not judge"."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.text.facts import VALUE_KINDS, extract, missing_facts
from guardrail.text.passages import Sentence
from guardrail.types import Cause, Cell, ErrorType, Passage, Row, Segment, Span

_QUOTES = str.maketrans("“”„«»‘’", '"""""\'\'')

CERTAIN = 0.97
"""Probability given to a copied sentence or a clear clash of numbers; rules that are not this sure stay silent."""


def bare(text: str) -> str:
    """The text without case, spacing, emphasis, outer quotes and its full stop: what counts for a copy.

    Signs, units, points and question marks stay: "-20 °C" is no copy of "20 °C".
    """
    return " ".join(text.split()).casefold().translate(_QUOTES).strip("*_` \"'.。!！")


def judge_by_rules(
    segment: Segment, passages: Sequence[Passage], best: Sequence[tuple[int, Sentence]], covered: float
) -> Row:
    """A row from copying and hard facts alone.

    Args:
        segment: What to judge.
        passages: All passages.
        best: Up to three sentences (with passage number) that share most with the segment, best first.
        covered: Share of the segment's words that the first of them holds (0..1).
    """
    empty: tuple[Cell | None, ...] = (None,) * len(passages)
    wanted = bare(segment.text)
    for number, sentence in best:
        if wanted and wanted == bare(sentence.text):  # part of a sentence may be what it denies
            cell = Cell(supported=CERTAIN, contradicted=0.0, evidence=(sentence.span,))
            cells = (*empty[:number], cell, *empty[number + 1 :])
            return Row(
                segment_id=segment.id,
                cells=cells,
                supported=CERTAIN,
                evidence=((number, sentence.span),),
                reason="The passage says the same word for word.",
            )
    if best and covered >= 0.75:
        number, sentence = best[0]
        clashes = [
            m for m in missing_facts(extract(segment.text), [sentence.facts]) if m.contradicts and m.kind in VALUE_KINDS
        ]
        if clashes:
            clash = clashes[0]
            cell = Cell(supported=1 - CERTAIN, contradicted=CERTAIN, evidence=(sentence.span,))
            return Row(
                segment_id=segment.id,
                cells=(*empty[:number], cell, *empty[number + 1 :]),
                supported=1 - CERTAIN,
                contradicted=CERTAIN,
                evidence=((number, sentence.span),),
                error_type=ErrorType.CONTRADICTION,
                reason=f"The answer says {clash.claim_value}, the passage {clash.evidence_value}.",
                focus=(Span(*clash.span),),
            )
    return Row(
        segment_id=segment.id,
        cells=empty,
        evidence=tuple((number, sentence.span) for number, sentence in best),
        unverified="the local model does not read this language, and no rule settles it",
        cause=Cause.LANGUAGE,
    )
