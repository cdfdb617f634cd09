"""What a model makes of what it reads: readings of segments, and the rows that they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from guardrail.engines.local.evidence import choose_evidence
from guardrail.engines.local.passage_index import Library
from guardrail.text.words import content_words
from guardrail.types import Cell, ErrorType, Row, Segment, Span

_SUPPORTED = 0.5


@dataclass(frozen=True, slots=True)
class PassageScores:
    """One segment against one passage: the best of its windows, and the sentences of the one that decided."""

    supported: float
    contradicted: float
    parts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """One segment against all passages read, by number; ``focus`` are stretches of the segment that nothing supports.

    ``supported`` and ``contradicted`` judge all passages together, as the model's authors do.
    """

    scores: dict[int, PassageScores]
    supported: float
    contradicted: float
    focus: tuple[Span, ...] = ()


class Judge(Protocol):
    """A loaded model that reads segments against passages."""

    def read(
        self,
        segments: Sequence[str],
        library: Library,
        passages: Sequence[int],
        question: str | None,
        stop: Callable[[], bool],
    ) -> list[Reading | None]:
        """A reading per segment over the numbered passages; None for segments not done when ``stop`` said so."""
        ...


def over_all(scores: dict[int, PassageScores]) -> tuple[float, float]:
    """The most that any passage supports, and the most that any contradicts."""
    supported = max((one.supported for one in scores.values()), default=0.0)
    return supported, max((one.contradicted for one in scores.values()), default=0.0)


def row(segment: Segment, library: Library, reading: Reading) -> Row:
    """The row of one segment; the cell of a passage that was not read stays None."""
    words = content_words(segment.text)
    cells: list[Cell | None] = [None] * len(library.passages)
    for number, one in reading.scores.items():
        best = _best(library, words, one.parts)
        cells[number] = Cell(
            supported=one.supported,
            contradicted=one.contradicted,
            evidence=tuple(library.sentences[i].span for i in best),
        )
    against = reading.contradicted > max(reading.supported, _SUPPORTED)
    return Row(
        segment_id=segment.id,
        cells=tuple(cells),
        supported=reading.supported,
        contradicted=reading.contradicted,
        evidence=_evidence(library, words, reading.scores, against=against),
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
    library: Library, words: Sequence[str], scores: dict[int, PassageScores], *, against: bool
) -> tuple[tuple[int, Span], ...]:
    """Sentences of the window that decided."""
    decisive = max(scores.values(), key=lambda one: one.contradicted if against else one.supported, default=None)
    if decisive is None:
        return ()
    chosen = choose_evidence(library, words, decisive.parts) or _best(library, words, decisive.parts)
    return tuple((library.owner[i], library.sentences[i].span) for i in chosen)
