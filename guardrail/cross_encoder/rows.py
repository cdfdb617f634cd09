"""Rows of the support matrix from what a model read."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.cross_encoder.reading import Look, Reading
from guardrail.local.evidence import choose_evidence
from guardrail.local.lexical import content_words
from guardrail.local.reading import Library
from guardrail.types import Cell, ErrorType, Row, Segment, Span

_SUPPORTED = 0.5


def row(segment: Segment, library: Library, reading: Reading) -> Row:
    """The row of one segment; the cell of a passage that was not read stays None."""
    words = content_words(segment.text)
    cells: list[Cell | None] = [None] * len(library.passages)
    for number, look in reading.looks.items():
        best = _best(library, words, look.parts)
        cells[number] = Cell(
            supported=look.supported,
            contradicted=look.contradicted,
            evidence=tuple(library.sentences[i].span for i in best),
        )
    against = reading.contradicted > max(reading.supported, _SUPPORTED)
    return Row(
        segment_id=segment.id,
        cells=tuple(cells),
        supported=reading.supported,
        contradicted=reading.contradicted,
        evidence=_evidence(library, words, reading.looks, against=against),
        error_type=ErrorType.CONTRADICTION if against else ErrorType.HALLUCINATION,
        reason="A passage says otherwise." if against else "No passage says this, as the model reads them.",
        focus=tuple(trimmed for span in reading.focus if (trimmed := _trimmed(span, segment.text))),
    )


def _trimmed(span: Span, text: str) -> Span | None:
    """The span without white space at its ends, which some tokenizers count to the next word."""
    words = span.of(text)
    start = span.start + len(words) - len(words.lstrip())
    return Span(start, start + len(words.strip())) if words.strip() else None


def _best(library: Library, words: Sequence[str], parts: Sequence[int]) -> tuple[int, ...]:
    """The sentence of a window that holds most of the segment, if any of it."""
    return tuple(parts) if len(parts) == 1 else library.overlap.rank(words, parts, 1)


def _evidence(
    library: Library, words: Sequence[str], looks: dict[int, Look], *, against: bool
) -> tuple[tuple[int, Span], ...]:
    """Sentences of the window that decided."""
    told = max(looks.values(), key=lambda look: look.contradicted if against else look.supported, default=None)
    if told is None:
        return ()
    chosen = choose_evidence(library, words, told.parts) or _best(library, words, told.parts)
    return tuple((library.owner[i], library.sentences[i].span) for i in chosen)
