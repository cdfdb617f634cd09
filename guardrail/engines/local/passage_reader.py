"""A second model that reads whole passages, each once for up to twelve segments of an answer.

The small model reads a few sentences at a time, so it sees values and words that differ, and not what a passage as a
whole denies, plans or leaves open. What the second one sees is one more signal of the scorer. In other languages than
English there is only the second one, and what it makes of a passage stands for each of the passage's windows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from heapq import nlargest

from guardrail.check.contract import VerifyRequest
from guardrail.engines.local.model import Reader, claim_pieces
from guardrail.engines.local.packs import CLAIMS, MAX_PREMISE_TOKENS
from guardrail.engines.local.passage_index import Library, SegmentViews
from guardrail.text.facts import extract
from guardrail.text.language import may_be_english
from guardrail.text.passages import titled
from guardrail.text.restatement import after_question, restate, statement_of
from guardrail.types import Segment

READ_PIECES = 6
"""Pieces read for a segment, those that share most words with it: reading is what costs time."""

_TITLE_WORDS = 30

Whole = Mapping[int, float]
"""P(supported) of a segment, 0..1, by number of the passage; of those that were read."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage, or so much of a long one as is read at once; ``parts`` number sentences of all passages."""

    passage: int
    text: str
    parts: tuple[int, ...]


def pieces_of(library: Library, reader: Reader) -> Iterator[Piece]:
    """The passages in order, cut at ends of sentences."""
    for number, passage in enumerate(library.passages):
        title = " ".join((passage.title or "").split()[:_TITLE_WORDS])
        room = MAX_PREMISE_TOKENS - (reader.tokens(title) + 1 if title else 0)
        held: list[int] = []
        used = 0
        for index in library.sentences_of(number):
            length = reader.tokens(library.sentences[index].text)
            if held and used + length > room:
                yield _piece(library, number, title, held)
                held, used = [], 0
            held.append(index)
            used += length
        if held:
            yield _piece(library, number, title, held)


def _piece(library: Library, passage: int, title: str, parts: Sequence[int]) -> Piece:
    text = " ".join(library.sentences[i].text for i in parts)
    return Piece(passage, titled(title, text), tuple(parts))


def read_passages(
    reader: Reader, request: VerifyRequest, library: Library, views: Sequence[SegmentViews | None]
) -> list[Whole | None]:
    """What the model makes of the passages, for each segment; None where time ran out, empty where it cannot read.

    Read are the pieces that share most words with the segment, one of each passage that the small model reads among
    them.
    """
    found: list[Whole | None] = []
    pieces = [] if request.expired() else [p for p in pieces_of(library, reader) if reader.reads(p.text)]
    numbered = list(zip(request.segments, views, strict=True))
    told = " ".join(segment.text for segment in request.segments)
    whole = not may_be_english(told) and reader.reads(told)  # too short to tell by itself, a part is as the rest
    readable = frozenset(segment.id for segment in request.segments if whole or reader.reads(segment.text))
    for start in range(0, len(numbered), CLAIMS):  # so many are read at once, and the first ones first
        found += _read_some(reader, request, library, pieces, readable, numbered[start : start + CLAIMS])
    return found


def _read_some(
    reader: Reader,
    request: VerifyRequest,
    library: Library,
    pieces: Sequence[Piece],
    readable: AbstractSet[str],
    segments: Sequence[tuple[Segment, SegmentViews | None]],
) -> list[Whole | None]:
    pairs: list[tuple[str, str]] = []
    plan: list[tuple[int, Piece, int]] = []
    for number, (segment, views) in enumerate(segments):
        if views is None or request.expired():
            return [None] * len(segments)
        if segment.id not in readable:
            continue
        claims = [extract(part) for part in claim_pieces(_stated(segment.text, request.question))]
        for piece in _chosen(pieces, views, library):
            facts = [library.sentences[i].facts for i in piece.parts]
            pairs += [(piece.text, restate(claim, facts)) for claim in claims]
            plan.append((number, piece, len(claims)))
    values = iter(reader.probabilities(pairs, request.expired)[:, 0].tolist() if pairs else ())
    found: list[dict[int, float] | None] = [{} for _ in segments]
    for number, piece, count in plan:
        supported = [next(values) for _ in range(count)]
        of_segment = found[number]
        if any(map(math.isnan, supported)):
            found[number] = None
        elif of_segment is not None:  # a long segment is as good as its worst part
            of_segment[piece.passage] = max(min(supported), of_segment.get(piece.passage, 0.0))
    return list(found)


def _stated(text: str, question: str | None) -> str:
    """A segment as it is read: with the question, unless that leaves too little room for it."""
    asked = after_question(text, question) if question else text
    return asked if len(claim_pieces(asked)) == 1 else statement_of(text)


def _chosen(pieces: Sequence[Piece], views: SegmentViews, library: Library) -> Sequence[Piece]:
    if len(pieces) <= READ_PIECES:
        return pieces
    covers = [library.overlap.coverage(views.words, piece.parts) for piece in pieces]
    best = set(nlargest(READ_PIECES, range(len(pieces)), key=covers.__getitem__))
    for passage in {view.window.passage for view in views.windows if view.window is not None}:
        own = [number for number, piece in enumerate(pieces) if piece.passage == passage]
        best |= set(nlargest(1, own, key=covers.__getitem__))
    return [pieces[number] for number in sorted(best)]
