"""Evidence read for logic: its words, its relations, and how well the sides of two relations match."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from guardrail.check.logic.relations import find_relations
from guardrail.text.words import content_words
from guardrail.types import Relation, RelationKind

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


def sides_of(relation: Relation) -> Sides:
    """The relation with its words."""
    return Sides(relation, words_of(relation.first), words_of(relation.second))


@lru_cache(maxsize=1024)
def read(sentence: str) -> Reading:
    """Read one evidence sentence."""
    return Reading(sentence, words_of(sentence), tuple(map(sides_of, find_relations(sentence))))


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


def swapped(claimed: Sides, stated: Sides) -> bool:
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


def has(pattern: re.Pattern[str], text: str) -> str | None:
    """The first match as written, or None."""
    found = pattern.search(text)
    return found.group() if found else None
