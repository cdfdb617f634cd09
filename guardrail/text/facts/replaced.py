"""A value put in the place of another one, in a claim that else repeats a sentence of the evidence."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from guardrail.text.facts.fact import Amount, Bound, Fact, Facts, Mismatch, Moment, mismatch
from guardrail.text.facts.values import is_equal, may_be_equal, values_of
from guardrail.text.words import STOP_WORDS
from guardrail.types import Span

SURE = 0.9
"""Weight of such a mismatch: of 183 claims of held-out records that it fired on 178 were wrong, but of 36 in records
that were written to mislead 31. So it does not decide alone."""

_LIGHT = frozenset(
    """a an the is are was were be been being has have had it its that this these those there do does did will would
    shall  which who also""".split()
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
_WITHIN = frozenset("more less fewer further additional extra".split())
_TURNING_CJK = frozenset("不没沒無无未非其余餘他另再多少比前后後早晚共半倍各每均超以至若如")


_COUNTING = frozenset("twice thrice double doubled triple tripled times rest remainder remains remaining".split())
_REPORTED = re.compile(
    r"(?<!that )(?<!which )(?<!who )\b(?:has|have|had|holds?|held|contains?|contained|is|are|was|were|weighs?"
    r"|lasts?|lasted|takes?|took|sold"
    r"|counted|killed|drew|attracted|covers?|covered|measures?|employs?|employed|owns?|owned|costs?|won|with|there\swere)"
    r"\s(?:at\sleast|more\sthan|over|above|less\sthan|fewer\sthan|under|below)\s(?:an?\s)?$",
    re.IGNORECASE,
)
"""Before the amount of a report, which weaker reports follow from."""

_LEAST, _SHARED, _DENSE, _LOOSE = 4, 0.8, 0.9, 0.6
"""Words and values that the claim must have, and shares of them and of the sentence that must be the same."""


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
    here: bool  # the sentence has the claim's value elsewhere
    counts: bool  # the sentence has the reader compute a value, in words that the claim lacks
    size: int  # words and values of the claim


def replaced_values(claim: Facts, sentences: Sequence[Facts]) -> list[Mismatch]:
    """Values of the claim in whose place the evidence has another one.

    Silent where one side alone compares, counts up, negates, hedges or supposes, for another value may then be right.

    Args:
        claim: A claim.
        sentences: The sentences that may support it.
    """
    found: dict[Span, Mismatch] = {}
    for place in _places(claim, sentences):
        if place.own.span in found:
            continue
        having = [s for s in sentences if any(may_be_equal(place.own, f) for f in s.counted)]
        # Another sentence may say just what the claim says: passages disagree, or give each thing its own value.
        alike = any(len(_words(claim) - s.bag) <= len(_words(claim)) // 3 for s in having)
        if (place.here or not alike) and _is_sure(claim, place, stated=bool(having)):
            found[place.own.span] = mismatch(place.own, SURE, place.other.surface)
    return list(found.values())


def _words(claim: Facts) -> frozenset[str]:
    """Stems of the claim's content words that are no values."""
    spans = [f.span for f in values_of(claim)]
    return frozenset(
        w.stem for w in claim.words if w.stem and not any(span.start <= w.start < span.end for span in spans)
    )


def _is_sure(claim: Facts, place: Place, *, stated: bool) -> bool:
    """Whether the claim repeats the sentence so closely that the other value must be meant.

    Where the evidence has the claim's value somewhere, the claim may speak of what it says there: it must repeat the
    sentence without a gap, or give the sentence's two values each other's place.
    """
    if place.size < _LEAST or place.shared < _SHARED or _turns(place) or any(map(_has_content, place.free)):
        return False
    ends = place.left + place.right
    if _is_few(place.own) and (ends < 2 or place.dense < _DENSE):
        return False  # "two boys" where "one boy" and "another one" are told of
    if place.crossed:
        return ends >= 1
    if place.counts:
        return False
    if stated:
        return not _is_bare(place.own) and ends == 2 and place.dense > _DENSE and not place.here
    if _is_weaker(claim, place.own, place.other):
        return False
    if isinstance(place.other.value, Amount) and place.other.value.bound is not Bound.EXACT and not place.left:
        return False  # "12 guests" where "at least ten guests" are wanted
    return ends == 2 or (ends == 1 and place.dense > _LOOSE)


def _turns(place: Place) -> bool:
    inside = set(place.own.surface.casefold().split()) ^ set(place.other.surface.casefold().split())  # "8 more weeks"
    return any(key in _TURNING or key in _TURNING_CJK for key in (*place.free, *place.between)) or bool(
        inside & _WITHIN
    )


def _has_content(key: str) -> bool:
    return key not in STOP_WORDS and key[:1] not in "§@"


def _is_bare(fact: Fact) -> bool:
    """Whether the number may name a thing rather than count some: "Order 62"."""
    return isinstance(fact.value, Amount) and not fact.value.unit and fact.surface.isdecimal()


def _is_few(fact: Fact) -> bool:
    return isinstance(fact.value, Amount) and fact.value.small and fact.value.raw <= 3


def _is_weaker(claim: Facts, own: Fact, other: Fact) -> bool:
    """Whether the claim reports less of the same: "holds at least 5" follows from "holds at least 8".

    In a rule ("needs at least 5", "within 28 days") or a condition ("above 12 m/s") every bound is another one.
    """
    one, two = own.value, other.value
    if not isinstance(one, Amount) or not isinstance(two, Amount) or one.bound is not two.bound:
        return False
    less = (one.bound is Bound.OVER and one.base < two.base) or (one.bound is Bound.UNDER and one.base > two.base)
    return less and _REPORTED.search(claim.text, max(0, own.span.start - 40), own.span.start) is not None


def _places(claim: Facts, sentences: Sequence[Facts]) -> Iterator[Place]:
    """Each value of the claim that stands in the place of another one."""
    own = values_of(claim)
    if not own:
        return
    kinds = {_key(f) for f in own}
    words = _words(claim)
    if len(words) < 2:
        return
    tokens: list[Token] = []
    for sentence in sentences:
        if len(words - sentence.bag) > len(words) // 5:
            continue
        if not any(_key(f) in kinds for f in sentence.counted):
            continue
        if len(own) == 1 and any(is_equal(own[0], f) for f in sentence.counted):
            continue
        tokens = tokens or _tokens(claim, own)
        yield from _compared(claim, tokens, sentence, own)


def _compared(claim: Facts, tokens: list[Token], sentence: Facts, own: list[Fact]) -> Iterator[Place]:
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
    end, stop = len(tokens) - 1, len(there) - 1
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
            counts=bool((_COUNTING & sentence.forms) - claim.forms),
            size=len(tokens),
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
