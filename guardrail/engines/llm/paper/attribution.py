"""Which segment says a claim, and where in the answer (RefChecker: attribution to sentences, localization)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from guardrail.check.contract import DecomposeRequest
from guardrail.text.words import Overlap, content_words
from guardrail.types import Claim, Segment, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """A claim as extracted; ``sentences`` are the numbers (from 1) of those that the model says it is from."""

    text: str
    triplet: tuple[str, str, str] | None = None
    sentences: tuple[int, ...] = ()


def attributed(
    request: DecomposeRequest, sentences: Sequence[Segment], extracted: Sequence[Extracted]
) -> tuple[tuple[Segment, ...], int]:
    """The rules' segments with their claims, and how many claims share no word with the answer (they are left out).

    Args:
        request: The answer and the rules' segments.
        sentences: Its sentences to check, in order.
        extracted: What the model extracted.
    """
    words = [content_words(sentence.text) for sentence in sentences]
    overlap = Overlap(words)
    found: dict[str, list[tuple[Extracted, Span]]] = defaultdict(list)
    strangers = 0
    for claim in extracted:
        number = _sentence(claim, overlap, len(sentences))
        if number is None:
            strangers += 1
            continue
        sentence = sentences[number]
        home = next(s for s in request.parts.checked if s.span.start <= sentence.span.start < s.span.end)
        if all(claim.text != other.text for other, _ in found[home.id]):
            found[home.id].append((claim, _where(claim, sentence.span, request.answer)))
    return tuple(_with_claims(segment, found[segment.id]) for segment in request.parts.segments), strangers


def _sentence(claim: Extracted, overlap: Overlap, count: int) -> int | None:
    """The sentence that has most of the claim, of those that the model names if they have any; None if none has."""
    words = content_words(claim.text)
    named = [n - 1 for n in claim.sentences if 1 <= n <= count]
    for among in (named, range(count)):
        shares = {n: overlap.coverage(words, [n]) if words else 0.0 for n in among}
        best = max(shares, key=shares.__getitem__, default=None)
        if best is not None and shares[best] > 0.0:
            return best
    return None


def _where(claim: Extracted, sentence: Span, answer: str) -> Span:
    """The stretch of the sentence from the first to the last part of the claim in it, else the sentence."""
    written = sentence.of(answer).casefold()
    if len(written) != sentence.end - sentence.start:  # a case fold that moves offsets
        return sentence
    parts = claim.triplet or (claim.text.rstrip(".。"),)
    places = [(at, at + len(part)) for part in parts if (at := written.find(part.casefold())) >= 0]
    if len(places) < min(2, len(parts)):
        return sentence  # the head alone is the subject of every claim
    start = sentence.start
    return Span(start + min(first for first, _ in places), start + max(last for _, last in places))


def _with_claims(segment: Segment, found: Sequence[tuple[Extracted, Span]]) -> Segment:
    claims = tuple(
        Claim(id=f"{segment.id}.{n}", text=claim.text, triplet=claim.triplet, span=span)
        for n, (claim, span) in enumerate(found, 1)
    )
    return replace(segment, claims=claims)
