"""False twins made by rule: a name or a value of a claim gives its place to another one that the passages have.

Every word of such a claim stands in the passages, so only what belongs to what tells it from the true one (the idea of
PAWS: Zhang, Baldridge and He, NAACL 2019, section 3, with values beside names).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from guardrail.text.passages import sentences
from training.places import Place, places

_BOUND = re.compile(
    r"\b(?:over|under|above|below|up to|at (?:least|most)|(?:more|less|fewer|later|earlier) than|from|to|until|till|by"
    r"|before|after|within|between|über|unter|mindestens|höchstens|bis|bis zu|ab|vor|nach|seit|zwischen"
    r"|(?:mehr|weniger) als|plus de|moins de|jusqu.à|au (?:moins|plus)|avant|après|entre|dès|à partir de|d.ici"
    r"|(?:más|menos) de|hasta|(?:al|por lo) menos|como (?:mínimo|máximo)|antes de|después de|desde|a partir de)"
    r"\s(?:the|den?|la|el|les?)?\s?$|(?:超过|超過|不到|少于|多于|大于|小于|至少|至多|最多|不足|满|滿|约|從|从|至|到|前|最大|最高|最低)$",
    re.IGNORECASE,
)
_BOUND_AFTER = re.compile(r"^[^\W\d_]{0,3}?(?:以上|以下|以内|以內|未満|まで|から|より|超|前|後|后|之内|内)")
_LISTING = frozenset("and or to the a und oder bis et ou à y e o a 和 与 與 と や 或 至 到 、".split())
_JOINING = re.compile(r"\b[a-zà-ÿ]+\b|[\u3040-\u9fff]")


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
    one, other = (re.sub(r"[.,:]", "", value).replace("两", "二") for value in (one, other))
    return one == other


def _made(claim: str, own: Sequence[Place], others: Mapping[str, frozenset[str]]) -> Iterator[tuple[int, str]]:
    """Number of the place, and the claim with something else there; two of a kind in the claim change places."""
    said = {place.text for place in own}
    for i, place in enumerate(own):
        if not place.kind.startswith("name") and (
            _BOUND.search(claim[: place.start]) or _BOUND_AFTER.search(claim[place.end :])
        ):
            continue  # "over 12" may be as true as "over 40"
        for other in sorted(others.get(place.kind, frozenset()) - said):
            if other.lower() in claim.lower() or place.text.lower() in other.lower() or _same(other, place.text):
                continue
            yield i, claim[: place.start] + other + claim[place.end :]
        for later in own[i + 1 :]:
            between = claim[place.end : later.start]
            listed = not set(_JOINING.findall(between)) - _LISTING  # "Ann, Bea and Cy": as true turned round
            if later.kind == place.kind and later.text != place.text and not listed:
                yield i, claim[: place.start] + later.text + between + place.text + claim[later.end :]
