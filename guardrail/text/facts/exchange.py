"""Two things that have changed places: "Ann reports to Ben" against "Ben reports to Ann".

The claim is laid over the evidence item by item. Where it is the evidence with two stretches exchanged, and all else
keeps its order, the two have taken each other's role: subject and object, or the values of two parallel clauses.
A change of voice, of clause order or of word order moves other stretches or other function words: no exchange.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from guardrail.text.facts.fact import FactKind, Facts, Item, Mismatch
from guardrail.text.words import stem
from guardrail.types import Span

EXCHANGED = 1.0
"""Weight of an exchange, which decides alone: see docs/decisions/exchanged-places.md for its precision."""

_LONGEST = 120
_LEAST_SHARED, _MOST_ITEMS = 3, 60
_COVER = 0.8
"""Share of the claim's items that the evidence has."""

_DENSE = 0.6
"""Share of the evidence's items, from the first shared one to the last, that the claim has."""

_SHAPES = frozenset({(3, 2, 1), (1, 4, 3, 2), (3, 2, 1, 4), (1, 4, 3, 2, 5)})
"""The runs of the claim, numbered in the order of the evidence: two have changed places around a third."""

SYMMETRIC = frozenset(
    map(
        stem,
        """meet meets met meeting marry marries married wed border borders bordering adjoin adjoins equal equals same
        similar identical differ differs different like alike resemble resembles share shares shared sharing cooperate
        cooperates cooperated collaborate collaborates collaborated merge merges merged match matches matched correspond
        corresponds corresponded compete competes competed correlate correlates correlated sibling brother sister
        cousin twin colleague neighbour neighbor friend partner rival spouse opposite adjacent parallel
        together talk talks talked speak speaks spoke discuss discussed overlap overlaps intersect intersects
        interact interacts coincide coincides combine combined mix mixed connect connects connected link links linked
        associated related versus vs via through""".split(),
    )
)
"""On both sides of these, one thing may stand for the other."""

_SEPARATOR = re.compile(r"[,;/&、，和与及或]|\b(?:and|or)\b")
_JOINED = re.compile(r"(?:[\s,;/&、，和与及或]|\b(?:and|or|the|an?)\b)*", re.IGNORECASE)
"""All that stands between the members of an enumeration, whose order says nothing."""

_NEGATIONS = frozenset("not no never neither nor without cannot only".split())
_FREE_ORDER = re.compile(
    r"[\u3040-\u30ff\uac00-\ud7af\u0400-\u04ff]|\b(?:der|die|das|und|ist|nicht|ein|eine|im|le|les|des|est|une|du|el|los"
    r"|las|una|que|del|il|che|di|het|een|och|att)\b"
)
"""Languages whose function words are not read, or where the object may open the sentence: only values are compared."""


class _Exchange(NamedTuple):
    """Pairs of places, in the claim and in the evidence, of all shared items and of the three runs."""

    shared: list[tuple[int, int]]
    first: list[tuple[int, int]]
    middle: list[tuple[int, int]]
    last: list[tuple[int, int]]
    framed: bool  # something stands before or behind the three


def judge_exchange(claim: Facts, sentences: Sequence[Facts]) -> Iterator[Mismatch]:
    """The claim as a sentence, or two neighbouring ones, with two of its parts exchanged.

    Silent where any sentence has the parts in the claim's order.

    Args:
        claim: The claim.
        sentences: Those of the evidence, in their order.
    """
    own = claim.items
    if not _LEAST_SHARED <= len(own) <= _MOST_ITEMS:
        return
    wanted = {item.key for item in own}
    least = _COVER * len(wanted)
    known = [{item.key for item in s.items} & wanted for s in sentences]
    for number, sentence in enumerate(sentences):
        following = sentences[number + 1 : number + 2]
        for parts in ((sentence,), (sentence, *following)) if following else ((sentence,),):
            if len(set().union(*known[number : number + len(parts)])) < least:
                continue
            stated = tuple(item for part in parts for item in part.items)
            found = _exchange(own, stated)
            if found is None or not _is_sound(claim, parts, stated, found):
                continue
            if not any(_keeps_order(s.items, own, found) for s in sentences):
                yield _mismatch(claim, found, parts)
            return


def _exchange(own: Sequence[Item], stated: Sequence[Item]) -> _Exchange | None:
    """The three runs, where the shared items form one of the shapes."""
    here, there = _once(own), _once(stated)
    shared = [(n, there[item.key]) for n, item in enumerate(own) if item.key in here and item.key in there]
    if len(shared) < _LEAST_SHARED:
        return None
    rank = {place: n for n, place in enumerate(sorted(place for _, place in shared))}
    runs: list[list[tuple[int, int]]] = []
    for pair in shared:
        if runs and rank[pair[1]] == rank[runs[-1][-1][1]] + 1:
            runs[-1].append(pair)
        elif len(runs) == 5:
            return None
        else:
            runs.append([pair])
    starts = sorted(run[0][1] for run in runs)
    shape = tuple(starts.index(run[0][1]) + 1 for run in runs)
    if shape not in _SHAPES:
        return None
    at = int(shape[0] == 1)
    first, middle, last = runs[at : at + 3]
    return _Exchange(shared, first, middle, last, framed=len(runs) > 3)


def _once(row: Sequence[Item]) -> dict[tuple[object, ...], int]:
    counts = Counter(item.key for item in row)
    return {item.key: number for number, item in enumerate(row) if counts[item.key] == 1}


def _is_sound(claim: Facts, parts: Sequence[Facts], stated: Sequence[Item], found: _Exchange) -> bool:
    """Whether nothing but the exchange tells the claim from the evidence."""
    own = claim.items
    first, middle, last = ([own[n] for n, _ in run] for run in (found.first, found.middle, found.last))
    if any(len(run) == 1 and run[0].is_character for run in (first, middle, last)):
        return False  # a single Chinese character is a piece of a word
    kinds = {item.kind if item.is_value else "" for item in (*first, *last)}
    if len(kinds) > 1 and any(all(item.is_value for item in run) for run in (first, last)):
        return False  # a value for a word: another order of words
    if first[0].is_value != last[0].is_value:
        return False  # "5 km north of it lies the town"
    if not found.framed and all(item.is_value for item in middle):
        return False
    if any(item.key[0] in SYMMETRIC for item in middle):
        return False
    if kinds & {""} and any(_FREE_ORDER.search(text.text) for text in (claim, *parts)):
        return False
    places = sorted(place for _, place in found.shared)
    region = stated[places[0] : places[-1] + 1]
    wanted = {item.key for item in own}
    if sum(item.key in wanted for item in region) < _DENSE * len(region) or negations(own) != negations(region):
        return False
    gaps = (claim.text[one[-1].span.end : two[0].span.start] for one, two in ((first, middle), (middle, last)))
    if all(_SEPARATOR.search(gap) and _JOINED.fullmatch(gap) for gap in gaps):
        return False
    here = [n for n, _ in found.shared]
    pivot = found.middle[0]
    if len(middle) == 1 and _markers(own, here, pivot[0]) != _markers(stated, places, pivot[1]):
        return False
    return all(
        _markers(own, here, one[0][0]) == _markers(stated, places, other[0][1])
        for one, other in ((found.first, found.last), (found.last, found.first))
    )


def negations(row: Sequence[Item]) -> int:
    """How many of the items a negation stands before."""
    return sum(marker in _NEGATIONS or marker.endswith("n't") for item in row for marker in item.markers)


def _markers(row: Sequence[Item], shared: Sequence[int], place: int) -> tuple[str, ...]:
    """The function words between an item and the shared one before it."""
    before = max((n for n in shared if n < place), default=(shared[0] - 1))
    return tuple(marker for item in row[before + 1 : place + 1] for marker in item.markers)


def _keeps_order(row: Sequence[Item], own: Sequence[Item], found: _Exchange) -> bool:
    """Whether a sentence has the three runs in the claim's order, though it may have them in the other order too."""
    keys = [own[n].key for n, _ in (*found.first, *found.middle, *found.last)]
    place = 0
    for item in row:
        if item.key == keys[place]:
            place += 1
            if place == len(keys):
                return True
    return False


def _mismatch(claim: Facts, found: _Exchange, parts: Sequence[Facts]) -> Mismatch:
    own = claim.items
    span = Span(own[found.shared[0][0]].span.start, own[found.shared[-1][0]].span.end)
    begins, at = [], 0
    for part in parts:
        begins += [Span(at + item.span.start, at + item.span.end) for item in part.items]
        at += len(part.text) + 1
    places = sorted(place for _, place in found.shared)
    there = Span(begins[places[0]].start, begins[places[-1]].end)
    return Mismatch(
        kind=FactKind.ROLE,
        span=span,
        claim_value=quoted(span.of(claim.text)),
        evidence_value=quoted(there.of(" ".join(part.text for part in parts))),
        contradicts=True,
        weight=EXCHANGED,
    )


def quoted(words: str) -> str:
    """Words of a text for a reason."""
    return f"“{words if len(words) <= _LONGEST else words[: _LONGEST - 3].rstrip() + '...'}”"
