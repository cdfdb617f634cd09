"""Segments put together to the answer that a token classifier reads, and taken apart again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from guardrail.cross_encoder.chunks import pieces
from guardrail.cross_encoder.reading import Look, Reading
from guardrail.types import Span


@dataclass(frozen=True, slots=True)
class Part:
    """``span`` of a segment (all of it, unless it is very long), which begins at ``start`` of the answer."""

    segment: int
    span: Span
    start: int

    @property
    def end(self) -> int:
        """Where it ends in the answer."""
        return self.start + self.span.end - self.span.start


@dataclass(frozen=True, slots=True)
class Answer:
    """Consecutive segments with spaces between them."""

    text: str
    parts: tuple[Part, ...]


def put_together(segments: Sequence[str], count: Callable[[str], int], limit: int) -> Iterator[Answer]:
    """Answers of at most about ``limit`` tokens; a segment longer than that is cut into pieces, none is left out."""
    text, parts, tokens = "", list[Part](), 0
    for number, segment in enumerate(segments):
        for span in pieces(segment, lambda piece: count(piece) <= limit):
            piece = span.of(segment)
            length = count(piece) + 1
            if parts and tokens + length > limit:
                yield Answer(text, tuple(parts))
                text, parts, tokens = "", [], 0
            text += " " if parts else ""
            parts.append(Part(number, span, len(text)))
            text += piece
            tokens += length
    if parts:
        yield Answer(text, tuple(parts))


def combined(readings: Sequence[Reading]) -> Reading:
    """The reading of a segment from those of its pieces: as good as the worst, with all their faults."""
    if len(readings) == 1:
        return readings[0]
    looks: dict[int, Look] = {}
    for number in readings[0].looks:
        looks[number] = min((reading.looks[number] for reading in readings), key=lambda look: look.supported)
    return Reading(
        looks,
        min(reading.supported for reading in readings),
        max(reading.contradicted for reading in readings),
        tuple(fault for reading in readings for fault in reading.focus),
    )
