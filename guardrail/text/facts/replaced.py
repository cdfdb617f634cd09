"""A value put in the place of another one, in a claim that else repeats a sentence of the evidence."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from guardrail.text.facts.fact import Amount, Bound, Fact, Facts, Mismatch, Moment, mismatch
from guardrail.text.facts.values import is_equal, may_be_equal, values_of

EXACT = 1.0
"""Weight of such a mismatch: it decides alone."""

_LIGHT = frozenset(
    """a an the is are was were be been being has have had it its that this these those there do does did will would
    shall which who also has""".split()
)
"""Words that come and go when a sentence is reworded."""

_TURNING = frozenset(
    """no not never none neither nor without nobody cannot if unless when whenever while can could may might must than
    more less fewer below above before after later earlier longer shorter higher lower older younger other others
    another rest remainder remaining remain twice half third thirds quarter double doubled triple times time only just
    except instead until till since every each per both all difference total together altogether sum average apart
    former first second last next further additional extra again still almost nearly roughly even already ago either
    least most over under up within or""".split()
)
"""Words that, said by one side alone, may make another value right."""
_TURNING_CJK = frozenset("不没沒無无未非其余餘他另再多少比前后後早晚共半倍各每均超以至若如")


class Token(NamedTuple):
    """A word, by its stem, or a value, by what it measures."""

    key: str
    value: Fact | None


class Place(NamedTuple):
    """Where a value of the claim stands in a sentence that it repeats, and the value there."""

    own: Fact
    other: Fact
    shared: float  # of the claim's words and values, in the same order
    dense: float  # of the sentence's, from the first shared one to the last
    left: bool  # the word before is the same, or both begin here
    right: bool
    free: tuple[str, ...]  # words of the claim that have no place there
    between: tuple[str, ...]  # words of the sentence among the shared ones
    crossed: bool  # the claim gives the other value a place, too
    here: bool  # the sentence has the value elsewhere
    size: int = 0
    outside: tuple[str, ...] = ()
    nbad: int = 0


def replaced_values(claim: Facts, sentences: Sequence[Facts]) -> list[Mismatch]:
    """Values of the claim in whose place the evidence has another one.

    Args:
        claim: A claim.
        sentences: The sentences that may support it.
    """
    found: dict[Fact, Mismatch] = {}
    for place in places(claim, sentences):
        if place.own not in found and _is_sure(place):
            found[place.own] = mismatch(place.own, EXACT, place.other.surface)
    return list(found.values())


def _is_sure(place: Place) -> bool:
    return True


def places(claim: Facts, sentences: Sequence[Facts]) -> Iterator[Place]:
    """Each value of the claim that stands in the place of another one."""
    own = values_of(claim)
    if not own:
        return
    kinds = {_key(f) for f in own}
    words = {w.stem for w in claim.words if w.stem and not any(f.span.start <= w.start < f.span.end for f in own)}
    if len(words) < 2:
        return
    tokens: list[Token] = []
    for sentence in sentences:
        if len(words - sentence.bag) > len(words) // 5:
            continue
        if not any(_key(f) in kinds and not any(is_equal(f, o) for o in own) for f in sentence.counted):
            continue
        tokens = tokens or _tokens(claim, own)
        yield from _compared(tokens, sentence, own)


def _compared(tokens: list[Token], sentence: Facts, own: list[Fact]) -> Iterator[Place]:
    theirs = values_of(sentence)
    there = _tokens(sentence, theirs)
    matcher = difflib.SequenceMatcher(None, [t.key for t in tokens], [t.key for t in there], autojunk=False)
    at = {a + i: b + i for a, b, size in matcher.get_matching_blocks() for i in range(size)}
    if not at:
        return
    first, last = min(at.values()), max(at.values())
    taken = set(at.values())
    free = tuple(t.key for i, t in enumerate(tokens) if i not in at)
    between = tuple(t.key for j, t in enumerate(there[first:last], first) if j not in taken)
    outside = tuple(t.key for j, t in enumerate(there) if not first <= j <= last)
    end, stop = len(tokens) - 1, len(there) - 1
    nbad=sum(1 for i,j in at.items() if tokens[i].value and not may_be_equal(tokens[i].value, there[j].value))
    for i, j in at.items():
        mine, other = tokens[i].value, there[j].value
        if mine is None or other is None or may_be_equal(mine, other) or not _comparable(mine, other):
            continue
        yield Place(
            own=mine,
            other=other,
            shared=len(at) / len(tokens),
            dense=len(at) / (last - first + 1),
            left=at.get(i - 1) == j - 1 if i else j == 0,
            right=at.get(i + 1) == j + 1 if i < end else j == stop,
            free=free,
            between=between,
            crossed=any(may_be_equal(other, f) for f in own),
            here=any(may_be_equal(mine, f) for f in theirs),
            size=len(tokens),
            outside=outside,
            nbad=nbad,
        )


def _comparable(mine: Fact, other: Fact) -> bool:
    """Whether the two say the same sort of thing of a date."""
    one, two = mine.value, other.value
    if isinstance(one, Moment) and isinstance(two, Moment):
        return any(a is not None and b is not None for a, b in zip(one[:5], two[:5], strict=True))
    return True


def _key(fact: Fact) -> str:
    value = fact.value
    if isinstance(value, Amount):
        return f"§{value.unit}"
    if isinstance(value, Moment):
        return "@t" if value.minute is not None else "@w" if value.weekdays else "@"
    return ""


def _tokens(facts: Facts, values: list[Fact]) -> list[Token]:
    """Words that matter and values, in order."""
    ordered = sorted(values, key=lambda f: f.span)
    found: list[Token] = []
    place = 0
    for word in facts.words:
        while place < len(ordered) and ordered[place].span.start <= word.start:
            found.append(Token(_key(ordered[place]), ordered[place]))
            place += 1
        inside = place and word.start < ordered[place - 1].span.end
        if not inside and word.form not in _LIGHT:
            found.append(Token(word.stem or word.form, None))
    found += [Token(_key(fact), fact) for fact in ordered[place:]]
    return found
