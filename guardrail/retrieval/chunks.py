"""Documents cut into passages: whole paragraphs where they fit, else whole sentences. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from guardrail.text.sentences import split_sentences
from guardrail.types import Span

_PARAGRAPH = re.compile(r"\S(?:.*?\S)?(?=\s*?\n[ \t\r]*\n|\s*\Z)", re.DOTALL)
_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+")


def chunk(text: str, words: int) -> tuple[Span, ...]:
    """Stretches of ``text`` of at most ``words`` words (CJK: characters), in order; white space between is left out.

    Neighbouring paragraphs share a chunk while they fit. A paragraph that is too long is cut between sentences, a
    sentence that is too long between words.
    """
    chunks: list[Span] = []
    held, within = 0, None
    for unit, count, paragraph in _units(text, words):
        if chunks and paragraph == within and held + count <= words:
            chunks[-1] = Span(chunks[-1].start, unit.end)
            held += count
        else:
            chunks.append(unit)
            held, within = count, paragraph
    return tuple(chunks)


def _units(text: str, words: int) -> Iterator[tuple[Span, int, int | None]]:
    """Paragraphs, or pieces of those that are too long; each with its words, and the paragraph that a piece is of."""
    for paragraph in _PARAGRAPH.finditer(text):
        tokens = _tokens(text, Span(*paragraph.span()))
        if len(tokens) <= words:
            yield Span(*paragraph.span()), len(tokens), None
            continue
        # The splitter wants one line; a line break and a space are both one character.
        run = re.sub(r"\s", " ", paragraph.group())
        for sentence in split_sentences(run):
            tokens = _tokens(text, Span(paragraph.start() + sentence.start, paragraph.start() + sentence.end))
            for start in range(0, len(tokens), words):
                piece = tokens[start : start + words]
                yield Span(piece[0].start, piece[-1].end), len(piece), paragraph.start()


def _tokens(text: str, span: Span) -> Sequence[Span]:
    return [Span(*found.span()) for found in _TOKEN.finditer(text, span.start, span.end)]
