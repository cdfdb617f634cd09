"""Evidence read for logic: its words, its relations, how well two relations match, and what that says of a claim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from guardrail.check.logic.relations import find_relations
from guardrail.text.words import content_words
from guardrail.types import ErrorType, Relation, RelationKind, Span

Words = frozenset[str]
_SCRIPTS = re.compile(r"(?<=[^\W_\u3400-\u9fff])(?=[\u3400-\u9fff])")  # "1981年": the number is a word of its own
_POSSESSIVE = re.compile(r"['’]s\b")
_NOTHING: Words = frozenset()


class Sides(NamedTuple):
    """A relation with the content words of its two sides."""

    relation: Relation
    first: Words
    second: Words

    @property
    def kind(self) -> RelationKind:
        """Kind of the relation."""
        return self.relation.kind


class Reading(NamedTuple):
    """One evidence sentence, read once."""

    text: str
    words: Words
    sides: tuple[Sides, ...]


class Match(NamedTuple):
    """Overlap (0..1) of two relations in the same and in the opposite direction; the weaker side counts."""

    forward: float
    backward: float


@lru_cache(maxsize=4096)
def words_of(text: str) -> Words:
    """Content words of a short text."""
    words = content_words(_POSSESSIVE.sub("", _SCRIPTS.sub(" ", text)))
    return frozenset(word[:-1] if len(word) > 3 and word.endswith("e") else word for word in words)  # clos(e), clos(ed)


def with_words(relation: Relation) -> Sides:
    """The relation with its words."""
    return Sides(relation, words_of(relation.first), words_of(relation.second))


@lru_cache(maxsize=1024)
def read_sentence(sentence: str) -> Reading:
    """Words and relations of one evidence sentence."""
    return Reading(sentence, words_of(sentence), tuple(map(with_words, find_relations(sentence))))


def share(side: Words, other: Words) -> float:
    """Share (0..1) of a side's words that ``other`` has; 0 for an empty side."""
    return len(side & other) / len(side) if side else 0.0


def match(claimed: Sides, stated: Sides) -> Match:
    """Compare the sides of two relations.

    Words on both sides of one relation ("the guarantee ... the guarantee") tell nothing about the direction and
    are left out where anything else remains.
    """
    first, second = claimed.first - claimed.second or claimed.first, claimed.second - claimed.first or claimed.second
    forward = min(share(first, stated.first), share(second, stated.second))
    backward = min(share(first, stated.second), share(second, stated.first))
    return Match(forward, backward)


def is_swapped(claimed: Sides, stated: Sides) -> bool:
    """Whether the sides changed places: what is new on either side of the claim stands on the other of the evidence."""
    first, second = claimed.first - stated.first, claimed.second - stated.second
    if not first or not second or not first <= stated.second or not second <= stated.first:
        return False
    return share(claimed.first | claimed.second, stated.first | stated.second) >= 0.8


def best(words: Words, readings: Sequence[Reading]) -> tuple[int, float]:
    """Number of the reading that covers most of the words, and its share; (-1, 0.0) without readings."""
    scored = [(share(words, reading.words), -index) for index, reading in enumerate(readings)]
    top, number = max(scored, default=(0.0, 1))
    return -number, top


def union(readings: Iterable[Reading]) -> Words:
    """All words of the evidence."""
    return _NOTHING.union(*(reading.words for reading in readings))


def first_match(pattern: re.Pattern[str], text: str) -> str | None:
    """The first match as written, or None."""
    found = pattern.search(text)
    return found.group() if found else None


def connective_of(sides: Sides) -> str:
    """The connective in lower case, with single spaces."""
    return " ".join(sides.relation.connective.casefold().split())


@dataclass(frozen=True, slots=True)
class RelationVerdict:
    """One relation judged; ``consistent`` as in ``LogicVerdict``."""

    consistent: bool | None
    focus: Span
    reason: str = ""
    error_type: ErrorType | None = None
    contradicts: bool = False

    @property
    def rank(self) -> int:
        """0 is the worst."""
        if self.consistent is False:
            return 0 if self.contradicts else 1
        return 2 if self.consistent is None else 3


def entailed(relation: Relation, by: Relation) -> RelationVerdict:
    """The evidence states the same relation."""
    return RelationVerdict(True, relation.span, f"The evidence ties the same two sides with '{by.connective}'.")


def undecided(relation: Relation) -> RelationVerdict:
    """The evidence does not speak of both sides, or not clearly enough."""
    return RelationVerdict(None, relation.span)


def refuted(relation: Relation, error_type: ErrorType, reason: str, *, contradicts: bool) -> RelationVerdict:
    """The evidence states something else (``contradicts``) or nothing about how the sides belong together."""
    return RelationVerdict(False, relation.span, reason, error_type, contradicts)


def shorten(side: str) -> str:
    """A side for a reason: at most 60 characters."""
    return side if len(side) <= 60 else f"{side[:57].rstrip()}..."
