"""The value of something else near by: "Pro costs 10 EUR", where Basic costs 10 EUR and Pro 20 EUR.

The evidence is cut into clauses. A value of the claim that stands in one clause beside a name that the claim lacks,
while the claim's own name has another value of the same kind in a parallel clause, is the value of the other thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from guardrail.text.facts.exchange import negations
from guardrail.text.facts.fact import FactKind, Facts, Item, Mismatch
from guardrail.text.language import language, may_be_english
from guardrail.types import Span

NEIGHBOURS = 1.0
"""Weight of the value of something else, which decides alone: see docs/decisions/exchanged-places.md."""

_MOST_ITEMS = 40
_COVER = 0.75
"""Share of the claim's items that the two clauses and the sentences around them have."""

_CUT = re.compile(r"[,;|/，；、。：:.\n]|\b(?:and|but|while|whereas)\b")
_APART = re.compile(r"[;|；。.\n]")
"""Between clauses that do not share their subject."""

_HEDGES = frozenset(
    """before after until till over under than more less not only least most from to between since within below above
    about around up by per""".split()
)
"""Before a value, these make it another statement: "after 1950" is true of 1960."""

_ALIKE = re.compile(
    r"\b(?:same|also|too|likewise|equal(?:ly)?|both|each|every|either|all|until|formerly|previously|now|then|later"
    r"|rose|rise[sn]?|fell|falls?|raised|lowered|cut|increased|reduced|changed|total|together|instead"
    r"|as\s(?:do|does|did|is|are|was|were|has|have|well))\b|[同也都亦均各共]|原来|后来|改为"
)
"""Words by which a value may hold for the neighbour as well, or may have changed."""


class Clause(NamedTuple):
    """A stretch of a sentence with at least one value; ``sentence`` numbers the sentence."""

    sentence: int
    items: tuple[Item, ...]


class _Rival(NamedTuple):
    """Whose value it is, whose it is in the claim, and which value that one has."""

    owner: Item
    named: Item
    instead: Item


def judge_neighbours(claim: Facts, sentences: Sequence[Facts]) -> Iterator[Mismatch]:
    """Values of the claim that the evidence has for something else, while it has another one for the claim's.

    Silent where any clause has the value together with the claim's name.

    Args:
        claim: The claim.
        sentences: Those of the evidence, in their order.
    """
    own = claim.items
    if not 2 <= len(own) <= _MOST_ITEMS or not any(item.is_value for item in own):
        return
    wanted = {item.key for item in own}
    held = {item.key for s in sentences for item in s.items if item.is_value}
    if not any(item.is_value and item.key in held for item in own):
        return
    parts = [clause for n, s in enumerate(sentences) for clause in clauses(s, n)]
    for piece in clauses(claim):
        for value in piece.items:
            if not value.is_value or sum(i.kind == value.kind for i in piece.items) != 1:
                continue
            holding = [p for p in parts if value.key in {i.key for i in p.items}]
            said = {i.key for i in piece.items}
            for clause in holding:
                for other in parts:
                    if abs(other.sentence - clause.sentence) > 1 or other is clause:
                        continue
                    rival = _rival(value, said, wanted, clause, other)
                    if rival is None or any(rival.named.key in {i.key for i in h.items} for h in holding):
                        continue
                    if _is_sound(claim, sentences, value, clause, other):
                        yield _mismatch(claim, sentences, value, rival, clause, other)
                        return


def clauses(facts: Facts, sentence: int = 0) -> list[Clause]:
    """The clauses of a text that hold a value; one without a value belongs to the next, or else to the last."""
    found: list[Clause] = []
    run: list[Item] = []
    items = facts.items
    if not any(item.is_value for item in items):
        return found
    for number, item in enumerate(items):
        run.append(item)
        gap = facts.text[item.span.end : items[number + 1].span.start] if number + 1 < len(items) else "."
        if not _CUT.search(gap):
            continue
        if any(i.is_value for i in run):
            found.append(Clause(sentence, tuple(run)))
            run = []
        elif _APART.search(gap):
            run = []
    return found


def _rival(
    value: Item, said: set[tuple[object, ...]], wanted: set[tuple[object, ...]], clause: Clause, other: Clause
) -> _Rival | None:
    at = [n for n, item in enumerate(clause.items) if item.kind == value.kind]
    to = [n for n, item in enumerate(other.items) if item.kind == value.kind]
    if len(at) != 1 or len(to) != 1 or other.items[to[0]].key == value.key:
        return None
    here, there = {i.key for i in clause.items}, {i.key for i in other.items}
    for one, two in (
        (clause.items[: at[0]], other.items[: to[0]]),
        (clause.items[: at[0] : -1], other.items[: to[0] : -1]),
    ):
        owner = next((i for i in one if i.key not in there), None)
        named = next((i for i in two if i.key not in here), None)
        if owner is None or named is None or owner.key in wanted or named.key not in said:
            continue
        if owner.is_value == named.is_value and (not owner.is_value or owner.kind == named.kind):
            return _Rival(owner, named, other.items[to[0]])
    return None


def _is_sound(claim: Facts, sentences: Sequence[Facts], value: Item, clause: Clause, other: Clause) -> bool:
    """Whether nothing but the value tells the claim from the clause about its own name."""
    own = claim.items
    around = [sentences[n] for n in sorted({clause.sentence, other.sentence})]
    known = {i.key for s in around for i in s.items}
    if sum(i.key in known for i in own) < _COVER * len(own):
        return False
    if _ALIKE.search(" ".join(s.text for s in around)) or _ALIKE.search(claim.text):
        return False
    if claim.computing.difference(*(s.computing for s in around)) or negations(own) != negations(clause.items):
        return False
    there = next(i for i in clause.items if i.key == value.key)
    if _HEDGES.intersection(value.markers).symmetric_difference(_HEDGES.intersection(there.markers)):
        return False
    return all(may_be_english(text.text) or language(text.text) == "zh" for text in (claim, *around))


def _mismatch(
    claim: Facts, sentences: Sequence[Facts], value: Item, rival: _Rival, clause: Clause, other: Clause
) -> Mismatch:
    at, to = sentences[clause.sentence].text, sentences[other.sentence].text
    said, named = value.span.of(claim.text), _phrase(rival.named, other, clause).of(to)
    owner = _phrase(rival.owner, clause, other).of(at)
    return Mismatch(
        kind=FactKind.NEIGHBOUR,
        span=value.span,
        claim_value=f"{said} ({named})",
        evidence_value=f"{rival.instead.span.of(to)} ({named}) and {said} ({owner})",
        contradicts=True,
        weight=NEIGHBOURS,
    )


def _phrase(first: Item, clause: Clause, other: Clause) -> Span:
    """The name that an item belongs to: capitalised words or Chinese characters on either side, "version" before 3."""
    common = {i.key for i in other.items}
    start = end = clause.items.index(first)

    def joins(item: Item) -> bool:
        return item.key not in common and item.kind == first.kind and item.is_character == first.is_character

    if first.span.end - first.span.start == 1 and not first.is_character:
        start = max(0, start - 1)
    elif first.kind == "name" or first.is_character:
        while start and joins(clause.items[start - 1]):
            start -= 1
        while end + 1 < len(clause.items) and joins(clause.items[end + 1]):
            end += 1
    return Span(clause.items[start].span.start, clause.items[end].span.end)
