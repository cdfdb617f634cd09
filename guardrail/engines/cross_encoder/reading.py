"""What a model reads and what it makes of it: windows, readings of segments, and the rows that they make."""

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
class Window:
    """A stretch of passage number ``passage``; ``parts`` number its sentences among those of all passages."""

    passage: int
    parts: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Look:
    """One segment against one passage: the best of its windows, and the sentences of the one that decided."""

    supported: float
    contradicted: float
    parts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """One segment against all passages read, by number; ``focus`` are stretches of the segment that nothing bears out.

    ``supported`` and ``contradicted`` judge all passages together, as the model's authors do.
    """

    looks: dict[int, Look]
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


def together(looks: dict[int, Look]) -> tuple[float, float]:
    """The most that any passage supports, and the most that any contradicts."""
    supported = max((look.supported for look in looks.values()), default=0.0)
    return supported, max((look.contradicted for look in looks.values()), default=0.0)


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
