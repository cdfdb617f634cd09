"""What the papers' prompts are given: passages, question, the answer by sentences; and whether a reply lost any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from guardrail.check.contract import DecomposeRequest, VerifyRequest
from guardrail.check.logic import find_relations
from guardrail.engines.llm.prompts import Block
from guardrail.engines.llm.protocol import Prompt, Replies, Steps
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


def keeps(texts: Iterable[str], original: str, written: str = "") -> bool:
    """Whether the texts together still say what the original says: most of its words, all its numbers and negations.

    ``written``: the original as the answer has it; words that it got from elsewhere, to stand alone, may be lost.
    """
    said = tuple(texts)
    words = set(content_words(original))
    if written:
        words = (words & set(content_words(written))) or words
    lost = words - {word for text in said for word in content_words(text)}
    if any(character.isdigit() for word in lost for character in word):
        return False
    return len(lost) <= (1.0 - _KEPT) * len(words) and negations(original) <= sum(map(negations, said))


def context_blocks(request: VerifyRequest, numbers: Sequence[int]) -> list[Block]:
    """``documents`` with the passages of these numbers, called "d1", "d2", ... by their position; then the question."""
    passages = [(n, request.passages[n]) for n in numbers]
    listed = [{"id": f"d{n + 1}", "title": passage.title, "text": passage.text} for n, passage in passages]
    return [("documents", listed), *question_block(request.question)]


def question_block(question: str | None) -> tuple[Block, ...]:
    """The block ``question``, left out if there is none."""
    return (("question", question),) if question else ()


def replies_to(prompts: Iterable[Prompt]) -> Steps[Replies]:
    """One round of all of them; none where there is nothing to ask."""
    asked = tuple(prompts)
    return (yield asked) if asked else ()
