"""Which evidence sentence speaks of the same thing as the claim, and which value stands there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from guardrail.text.facts.fact import Amount, Fact, Facts, Moment
from guardrail.types import Span

_READ = 4  # sentences that arithmetic and contradiction look at


class Candidate(NamedTuple):
    """Another value in the place of a claim's fact; ``cover`` and ``local`` say how well the places agree."""

    surface: str
    cover: float
    local: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FactEvidence:
    """All evidence sentences as one; ``nearest`` are those that share most words with the claim, best first."""

    nearest: tuple[tuple[Facts, float], ...]
    sentences: tuple[Facts, ...]
    forms: frozenset[str]
    initials: frozenset[str]
    amounts: tuple[Amount, ...]
    moments: tuple[Moment, ...]
    near_amounts: tuple[Amount, ...]
    near_moments: tuple[Moment, ...]
    cover: float  # share of the claim's content words in the nearest sentence
    computing: bool  # the claim compares or counts up in words that the nearest sentence lacks
    supposing: bool  # the claim makes up a case that the nearest sentence does not


def align(claim: Facts, sentences: Sequence[Facts]) -> FactEvidence:
    """Gather the evidence, ranked by shared content words; ties are broken by text, so order plays no part."""
    size = max(len(claim.bag), 1)
    ranked = sorted(((s, len(claim.bag & s.bag) / size) for s in sentences), key=lambda pair: (-pair[1], pair[0].text))
    nearest = tuple(pair for pair in ranked[:_READ] if pair[1] > 0.0)
    counted = [f.value for s in sentences for f in s.counted]
    near = [f.value for s, _ in nearest for f in s.counted]
    best, cover = nearest[0] if nearest else (None, 0.0)
    return FactEvidence(
        cover=cover,
        computing=bool(claim.computing - best.computing if best else claim.computing),
        supposing=bool(claim.supposing - best.supposing if best else claim.supposing),
        nearest=nearest,
        sentences=tuple(sentences),
        forms=frozenset().union(*(s.forms for s in sentences)),
        initials=frozenset().union(*(s.initials for s in sentences)),
        amounts=tuple(v for v in counted if isinstance(v, Amount)),
        moments=tuple(v for v in counted if isinstance(v, Moment)),
        near_amounts=tuple(v for v in near if isinstance(v, Amount)),
        near_moments=tuple(v for v in near if isinstance(v, Moment)),
    )


def context(facts: Facts, span: Span, width: int = 5) -> tuple[frozenset[str], frozenset[str]]:
    """The content stems shortly before and after a place."""
    words = facts.words
    first = bisect_left(words, span.start, key=lambda w: w.start)
    last = bisect_left(words, span.end, key=lambda w: w.start)
    before = frozenset(w.stem for w in words[max(0, first - width) : first] if w.stem)
    return before, frozenset(w.stem for w in words[last : last + width] if w.stem)


def rival(claim: Facts, fact: Fact, evidence: FactEvidence) -> Candidate | None:
    """The value of the same kind and unit that stands in the fact's place in the evidence, if the places agree."""
    best: Candidate | None = None
    own = {f.value for f in claim.counted}
    before, after = context(claim, fact.span)
    for sentence, cover in evidence.nearest:
        if cover < 0.3:
            break
        for other in sentence.counted:
            if other.value in own or not alike(fact, other) or _idle(other):
                continue
            there_before, there_after = context(sentence, other.span)
            local = len(after & there_after) + len(before & there_before)
            if local + 2 * (cover >= 0.6) < 2:
                continue
            candidate = Candidate(other.surface, cover, local)
            if best is None or (cover + 0.2 * local, other.surface) > (best.cover + 0.2 * best.local, best.surface):
                best = candidate
    return best


def _idle(other: Fact) -> bool:
    return isinstance(other.value, Amount) and other.value.small and other.value.raw <= 1


def alike(fact: Fact, other: Fact) -> bool:
    """Whether two values are of one kind, so that one may stand in the other's place."""
    one, two = fact.value, other.value
    if isinstance(one, Amount) and isinstance(two, Amount):
        return one.unit == two.unit and one.ordinal == two.ordinal and one.label == two.label
    if isinstance(one, Moment) and isinstance(two, Moment):
        return [v is None for v in one[:5]] == [v is None for v in two[:5]] or any(
            a is not None and b is not None and a != b for a, b in zip(one[:5], two[:5], strict=True)
        )
    return False
