"""The answer by sentences, as D-FActScore and RefChecker number them, and whether anything of a sentence was lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from guardrail.check.contract import DecomposeRequest
from guardrail.check.logic import find_relations
from guardrail.text.markdown import mask, plain
from guardrail.text.sentences import split_sentences
from guardrail.text.wording import negations
from guardrail.text.words import content_words
from guardrail.types import Segment, Span

_KEPT = 0.5
"""Share of the content words of a sentence that what was made of it must have; honest rewording keeps far more."""


def by_sentence(request: DecomposeRequest) -> DecomposeRequest:
    """The same request with the rules' segments cut into single sentences; ids are new."""
    pieces = [piece for segment in request.parts.segments for piece in _sentences(segment, request.answer)]
    numbered = tuple(replace(piece, id=f"s{n}") for n, piece in enumerate(pieces, 1))
    return replace(request, parts=replace(request.parts, segments=numbered))


def _sentences(segment: Segment, answer: str) -> Iterator[Segment]:
    raw = segment.span.of(answer)
    spans = split_sentences(mask(raw, {})) if segment.skipped is None and not raw.startswith("|") else []
    pieces = [(span.start + len(p) - len(p.lstrip()), p.strip()) for span in spans if (p := span.of(raw)).strip()]
    if len(pieces) < 2:
        yield segment
        return
    for offset, piece in pieces:
        start = segment.span.start + offset
        text = plain(piece, {})[0].strip() or piece
        span = Span(start, start + len(piece))
        yield replace(segment, span=span, text=text, relations=find_relations(text))


def keeps(texts: Iterable[str], original: str) -> bool:
    """Whether the texts together still say what the original says: most of its words, all its numbers and negations."""
    said = tuple(texts)
    words = set(content_words(original))
    lost = words - {word for text in said for word in content_words(text)}
    if any(character.isdigit() for word in lost for character in word):
        return False
    return len(lost) <= (1.0 - _KEPT) * len(words) and negations(original) <= sum(map(negations, said))
