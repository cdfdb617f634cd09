"""False twins made by rule: a name or a value of a claim gives its place to another one that the passages have.

Every word of such a claim stands in the passages, so only what belongs to what tells it from the true one (the idea of
PAWS: Zhang, Baldridge and He, NAACL 2019, section 3, with values beside names).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from guardrail.text.passages import sentences

_MONTHS = "January February March April May June July August September October November December"
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
_COUNTS = "two three four five six seven eight nine ten eleven twelve"
_SETS = [frozenset(words.split()) for words in (_MONTHS, _DAYS, _COUNTS)]
_CLOSED = re.compile(rf"\b(?:{'|'.join(f'{_MONTHS} {_DAYS} {_COUNTS}'.split())})(?=s?\b)")
_CLOCK = re.compile(r"(?<![\d:.,])\d{1,2}[:.]\d\d(?![\d:.,]?\d)")
_NUMBER = re.compile(
    r"(?P<sign>[$€£¥]\s?)?(?<![\w.,:/–-])(?P<number>\d+(?:[.,]\d+)*)"
    r"(?P<unit>\s?%|\s?°C|[ -][A-Za-z]+|)(?![\w:/–]|[.,-]\d)"
)
_NAME = re.compile(r"\b[A-Z][\w'’&-]*\w(?: (?:(?:of|de|van|von|the) )?(?:[A-Z][\w'’&-]*\w|[A-Z]\b|\d[\w.]*\b))*")
_NO_NAMES = frozenset(
    f"""{_MONTHS} {_DAYS} The A An In On At By For From After Before Since If When Of And But As To It They This That
    These Those There He She We You I Yes No Not Only All Both Each Every Some Most Neither Either While Although
    Because Unless Until Under With Without Once Between Its Their His Her Our Your One Two Three Four Five Six Seven
    Eight Nine Ten More Less Anyone Everyone Nobody Nothing Where Which Who Whoever What During According Instead Any
    Despite Since Though Whereas Here Now Then First Second Third Last Next Per Up Out Over Row""".split()
)

_BOUND = re.compile(
    r"\b(?:over|under|above|below|up to|at (?:least|most)|(?:more|less|fewer|later|earlier) than|from|to|until|till|by"
    r"|before|after|within|between)\s(?:the\s)?$",
    re.IGNORECASE,
)
_LISTING = frozenset({"and", "or", "to", "the", "a"})


class Place(NamedTuple):
    """Where a name or value stands in a text; those of the same ``kind`` may change places."""

    start: int
    end: int
    kind: str
    text: str


def places(text: str) -> list[Place]:
    """Names and values of a text in order, but for a single word at its very start, which may be any."""
    found = [Place(m.start(), m.end(), "clock", m[0]) for m in _CLOCK.finditer(text)]
    for match in _CLOSED.finditer(text):
        number = next(i for i, words in enumerate(_SETS) if match[0] in words)
        found.append(Place(match.start(), match.end(), f"closed {number}", match[0]))
    for match in _NUMBER.finditer(text):
        unit, number = match["unit"].strip(" -").lower().removesuffix("s"), match["number"]
        year = len(number) == 4 and number[:2] in ("18", "19", "20") and not match["sign"]
        kind = "year" if year else f"number {(match['sign'] or '').strip()}{unit}"
        found.append(Place(*match.span("number"), kind, number))
    for match in _NAME.finditer(text):
        words = match[0].split()
        if words[0] in _NO_NAMES or _CLOSED.search(match[0]) or (match.start() == 0 and len(words) == 1):
            continue
        shape = "code" if any(c.isdigit() for c in match[0]) else str(min(len(words), 3))
        found.append(Place(match.start(), match.end(), f"name {shape}", match[0]))
    found.sort()
    return [p for i, p in enumerate(found) if not any(q.start < p.end and p.start < q.end for q in found[:i])]


@lru_cache(maxsize=4_000)
def others_of(passages: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """Names and values of the passages by kind."""
    found: dict[str, set[str]] = {}
    for passage in passages:
        for sentence in sentences(passage):
            for place in places(sentence.text):
                found.setdefault(place.kind, set()).add(place.text)
    return {kind: frozenset(texts) for kind, texts in found.items()}


def swapped(claim: str, passages: Sequence[str], rng: random.Random) -> str | None:
    """The claim with one name or value in the place of another; None where the passages have no other of its kind."""
    found = _made(claim, places(claim), others_of(tuple(passages)))
    made = [(at, text) for at, text in found if not any(text.rstrip(".") in passage for passage in passages)]
    if not made:
        return None
    by_place: dict[int, list[str]] = {}  # each place as often, however many could stand there
    for at, text in made:
        by_place.setdefault(at, []).append(text)
    return rng.choice(by_place[rng.choice(sorted(by_place))])


def _same(one: str, other: str) -> bool:
    """Whether two values are written alike but for marks: "1,500" and "1500", "9:00" and "9.00"."""
    return re.sub(r"[.,:]", "", one) == re.sub(r"[.,:]", "", other)


def _made(claim: str, own: Sequence[Place], others: Mapping[str, frozenset[str]]) -> Iterator[tuple[int, str]]:
    """Number of the place, and the claim with something else there; two of a kind in the claim change places."""
    said = {place.text for place in own}
    for i, place in enumerate(own):
        if not place.kind.startswith("name") and _BOUND.search(claim[: place.start]):
            continue  # "over 12" may be as true as "over 40"
        for other in sorted(others.get(place.kind, frozenset()) - said):
            if other.lower() in claim.lower() or place.text.lower() in other.lower() or _same(other, place.text):
                continue
            yield i, claim[: place.start] + other + claim[place.end :]
        for later in own[i + 1 :]:
            between = claim[place.end : later.start]
            listed = not set(re.findall(r"\b[a-z]+\b", between)) - _LISTING  # "Ann, Bea and Cy": as true turned round
            if later.kind == place.kind and later.text != place.text and not listed:
                yield i, claim[: place.start] + later.text + between + place.text + claim[later.end :]
