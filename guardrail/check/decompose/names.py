"""Capitalised names in an English text: where they are, and what they can be called."""

from __future__ import annotations

import re
from enum import Enum, auto


class Sort(Enum):
    """What a name can be called again by."""

    MALE = auto()  # he
    FEMALE = auto()  # she
    PERSON = auto()  # he or she
    THING = auto()  # it
    MANY = auto()  # they
    UNKNOWN = auto()


LINK = r"(?:de|del|della|di|da|do|dos|du|van|von|der|den|la|le|el|al|bin|ibn|of|the|for|and|y|&)"
_ANY_NAME = re.compile(rf"(?<![.!?]\ )(?<!^)\b[^\W\d_a-z][\w'’-]+(?:\ (?:{LINK}\ ){{0,2}}[^\W\d_a-z][\w'’.-]+){{0,5}}")
NOT_NAMES = frozenset(
    """he she it they this that these those his her its their there here we you i who what which when where why how if
    in on at by for from to
    with as of and but or so yet not no yes all some many most few each every both such another other one two three
    several any people
    a an the our my your after before during since while although though because however therefore thus then also
    additionally moreover
    furthermore born known according based overall today later finally first second third both either neither add use
    please let do does did is are was were am can could would should has have had tell describe explain list give
    compare summarize show""".split()
)
_MONTHS = frozenset(
    """january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday""".split()
)
_PLACED = re.compile(
    r"\b(?:in|at|from|near|of|to|on|for|against|since|during|through|between|across|over|under|around"
    r"|into)\ (?:the\ |a\ )?(?:[^\W\d_a-z][\w'’.-]*(?:\ [^\W\d_a-z][\w'’.-]*)?,\ )?$|[(\[]$"
)
MALE = frozenset(
    """mr sir king prince lord duke earl pope saint st james john robert michael william david richard joseph thomas
    charles christopher daniel
    matthew anthony mark paul steven andrew kenneth george edward brian ronald albert isaac peter henry jack frank
    louis gustave leonardo
    alexander nicholas pierre martin max karl hans ludwig wolfgang johann francis frederick walter arthur harold
    donald barack elon steve bill""".split()
)
FEMALE = frozenset(
    """mrs ms miss lady queen princess duchess dame mary marie maria patricia jennifer linda elizabeth barbara susan
    jessica sarah karen nancy lisa
    margaret sandra ashley emily anna anne ada rosa rosalind frida florence helen laura julia catherine katherine
    charlotte emma olivia sophia amelia
    virginia victoria diana agatha jane alice grace ruth angela simone greta""".split()
)
THING_SIGN = re.compile(
    r"\b(?:Inc|Ltd|Corp|Corporation|Company|GmbH|University|College|Institute|Museum|Tower|Bridge|River|Lake|Mount"
    r"|Park|Hotel|Bank|Group|Church|Castle|Palace"
    r"|Airport|Station|Street|Act|Treaty|War|Battle|League|Club|Party|Agency|Union|Association|Committee|Council"
    r"|City|County|Island|Sea|Ocean)\b|^[Tt]he "
)


_RELATIVE = re.compile(
    r"['’]s?\ (?:\w+\ )?(?P<he>father|brother|son|husband|uncle|grandfather)|['’]s?\ (?:\w+\ )?(?P<she>mother|sister"
    r"|daughter|wife|aunt|grandmother)"
    r"|['’]s?\ (?:\w+\ )?(?P<any>friend|teacher|colleague|partner|successor|predecessor|mentor|student|cousin|child"
    r"|parent)"
)


def relative_in(text: str) -> str:
    """The noun of a person in a possessive at the start ("Curie's father ..."), else ""."""
    found = _RELATIVE.search(text[:120])
    return "" if found is None else found["he"] or found["she"] or found["any"]


def gender(name: str) -> Sort:
    """MALE or FEMALE by first name, title or noun of kinship, where that is known; else UNKNOWN."""
    first = name.lower().split()[0].strip(".")
    if first in MALE or first in {"father", "brother", "son", "husband", "uncle", "grandfather"}:
        return Sort.MALE
    if first in FEMALE or first in {"mother", "sister", "daughter", "wife", "aunt", "grandmother"}:
        return Sort.FEMALE
    return Sort.UNKNOWN


def is_thing(name: str) -> bool:
    """Whether the name cannot be a person's full name."""
    return " " not in name or THING_SIGN.search(name) is not None


def names_in(text: str) -> tuple[str, ...]:
    """Capitalised names in an English text, without months, pronouns and words that only open a sentence."""
    found = []
    for match in _ANY_NAME.finditer(" " + text):
        words = match[0].split()
        while words and words[0].lower().rstrip(".") in NOT_NAMES | _MONTHS:
            words = words[1:]
        if words:
            found.append(" ".join(words).removesuffix("'s").removesuffix("’s").rstrip("."))
    return tuple(dict.fromkeys(found))


def rivals_in(rest: str, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names besides the subject's that are no mere place or topic, and those of them that follow "by"."""
    rivals, agents = [], []
    for match in _ANY_NAME.finditer(rest):
        before = rest[max(0, match.start() - 48) : match.start()]
        if match[0] in name or match[0].split()[0].lower() in NOT_NAMES | _MONTHS or _PLACED.search(before):
            continue
        rivals.append(match[0])
        if before.endswith("by "):
            agents.append(match[0])
    return tuple(rivals), tuple(agents)
