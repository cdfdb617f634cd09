"""Who does it to whom, across voices and converse verbs: "Lark acquired Kestrel", "Lark was acquired by Kestrel".

Where two sentences name the same two things in the same order around one verb, once in the active and once in the
passive voice, they say opposite things; so do "sold to" and "bought from", "employs" and "works for".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guardrail.text.facts.exchange import SYMMETRIC, negations, quoted
from guardrail.text.facts.fact import FactKind, Facts, Item, Mismatch
from guardrail.text.words import stem
from guardrail.types import Span

TURNED = 1.0
"""Weight of a turned role, which decides alone."""

_COVER = 0.7
"""Share of the claim's items that the sentence has, the verb aside."""

_RUN = 3
"""Items of a subject or an object at most."""

_IRREGULAR = {
    form: base
    for base, forms in {
        "buy": "bought", "sell": "sold", "lend": "lent", "teach": "taught", "beat": "beaten", "write": "wrote written",
        "take": "took taken", "choose": "chose chosen", "win": "won", "lead": "led", "build": "built", "make": "made",
        "find": "found", "see": "saw seen", "give": "gave given", "tell": "told", "know": "knew known",
        "catch": "caught", "hold": "held", "pay": "paid", "eat": "ate eaten", "bite": "bit bitten",
        "steal": "stole stolen", "draw": "drew drawn", "drive": "drove driven", "feed": "fed", "send": "sent",
        "shoot": "shot", "sue": "sued", "overtake": "overtook overtaken",
    }.items()
    for form in forms.split()
}  # fmt: skip
"""Forms that share no stem with their verb."""

_CONVERSE = {
    stem(form): (pair, side)
    for pair, entry in enumerate(
        """sell sells sold selling/buy buys bought buying purchase purchases purchased
        lend lends lent lending/borrow borrows borrowed borrowing
        teach teaches taught teaching/learn learns learned learnt learning
        employ employs employed employing hire hires hired/work works worked working
        precede precedes preceded preceding/follow follows followed following
        export exports exported/import imports imported""".split("\n")
    )
    for side, forms in enumerate(entry.split("/"))
    for form in forms.split()
}
_GIVEN = frozenset({"to", "from", "for"})


def judge_roles(claim: Facts, sentences: Sequence[Facts]) -> Iterator[Mismatch]:
    """The claim's subject and object against those of a sentence with the same verb in the other voice, or its converse.

    Args:
        claim: The claim.
        sentences: Those of the evidence.
    """
    own = claim.items
    wanted = {item.key for item in own}
    for at in range(1, len(own) - 1):
        verb = _verb(own[at])
        converse = _CONVERSE.get(str(own[at].key[0]))
        if own[at].is_value or own[at].is_character:
            continue
        for sentence in sentences:
            there = sentence.items
            for to in range(1, len(there) - 1):
                same = _verb(there[to]) == verb and (
                    (_is_passive(own, at) and _is_active(there, to)) or (_is_active(own, at) and _is_passive(there, to))
                )
                other = _CONVERSE.get(str(there[to].key[0])) if converse else None
                turned = converse and other and converse[0] == other[0] and converse[1] != other[1]
                if not same and not turned:
                    continue
                known = {item.key for item in there} | {own[at].key}
                if sum(key in known for key in wanted) < _COVER * len(wanted):
                    continue
                if negations(own) or negations(there) or str(own[at].key[0]) in SYMMETRIC:
                    continue
                if turned and (_is_passive(own, at) or _is_passive(there, to)):
                    continue
                if _subject(own, at) & _subject(there, to) and (
                    _object(own, at) & _object(there, to) if same else _party(own, at) & _party(there, to)
                ):
                    if _subject(own, at) & _object(there, to) or _object(own, at) & _subject(there, to):
                        continue
                    yield _mismatch(claim, sentence)
                    return


def _verb(item: Item) -> str:
    word = str(item.key[0])
    return stem(_IRREGULAR.get(word, word))


def _is_passive(row: Sequence[Item], at: int) -> bool:
    return "be" in row[at].markers and row[at + 1].markers[:1] == ("by",)


def _is_active(row: Sequence[Item], at: int) -> bool:
    return "be" not in row[at].markers and not row[at + 1].markers


def _subject(row: Sequence[Item], at: int) -> set[tuple[object, ...]]:
    """The items right before the verb, back to the first with a function word before it."""
    found: set[tuple[object, ...]] = set()
    for item in reversed(row[max(0, at - _RUN) : at]):
        if item.is_value:
            break
        found.add(item.key)
        if item.markers:
            break
    return found


def _object(row: Sequence[Item], at: int) -> set[tuple[object, ...]]:
    """The items right behind the verb, up to the next function word."""
    found: set[tuple[object, ...]] = set()
    for number, item in enumerate(row[at + 1 : at + 1 + _RUN]):
        if item.is_value or (number and item.markers):
            break
        found.add(item.key)
    return found


def _party(row: Sequence[Item], at: int) -> set[tuple[object, ...]]:
    """To whom or from whom: the items behind "to", "from" or "for"; the object where there is none."""
    for number in range(at + 1, min(at + 5, len(row))):
        if _GIVEN.intersection(row[number].markers):
            return _object(row, number - 1)
    return _object(row, at)


def _mismatch(claim: Facts, sentence: Facts) -> Mismatch:
    return Mismatch(
        kind=FactKind.ROLE,
        span=Span(claim.items[0].span.start, claim.items[-1].span.end),
        claim_value=quoted(claim.text.strip().rstrip(".")),
        evidence_value=quoted(sentence.text.strip().rstrip(".")),
        contradicts=True,
        weight=TURNED,
    )
