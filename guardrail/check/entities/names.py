"""Names: the parts of a title, and whether two names can be spoken as one ("Dick Hanley", "Richard E. Hanley")."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from guardrail.check.entities.words import (
    BEARERS,
    FIELD_OF,
    GENERATIONS,
    HONORIFICS,
    KIND_HEADS,
    NICKNAMES,
    NO_BEARERS,
    PARTICLES,
    THINGS,
)

_TAG = re.compile(r"^(?P<base>.*\S)\s*[(（](?P<tag>[^()（）]+)[)）]\s*$", re.DOTALL)
_DOCUMENT_TAG = re.compile(
    r"(?:(?:part|page|pages|pp?|chapter|ch|section|vol(?:ume)?|no|v|ver(?:sion)?|rev(?:ision)?|draft|issue|"
    r"appendix|step|q[1-4]|fy|episode|season|slide|sheet|tab|"
    r"item)[\s.]*[\divxlc]*[\d.]*|cont(?:inued|['’]?d)?\.?|(?:c\. ?)?\d[\d\s./–-]*|"
    r"[a-z]|.*\b(?:edition|update[ds]?|revised|archived?|excerpt|"
    r"summary|overview|faq|notes|draft|final|copy|transcript|"
    r"biography|profile|interview|obituary|pdf|html|english|deprecated|beta|translation)\b.*|"
    r"[上中下续]|.*[页章节版部篇稿]|第.*|[一二三四五六七八九十]+|摘要|简介|访谈)",
    re.IGNORECASE,
)
_LIFE = re.compile(r"(\d{4})\s*[–—-]\s*(\d{4})")
_PEER = re.compile(
    r"(?P<base>[^,()]+), (?P<tag>(?:\d+(?:st|nd|rd|th) )?(?:Baron(?:et|"
    r"ess)?|Viscount|Earl|Marquess|Duke|Count|Prince|Lord|King)\b.*)"
)
_RANK = re.compile(r"(?:\d+(?:st|nd|rd|th) )?(?:Baron(?:et|ess)?|Viscount|Earl|Marquess|Duke|Count|Prince|Lord|King)\b")
_REGNAL = re.compile(r"(?P<base>[^\W\d_]+(?: [^\W\d_]+)? [IVX]+),? (?P<tag>(?:of|Prince|King|Duke)\b.*)")
_LIFETIME = range(15, 115)  # years between two dates that make them a life rather than a term or a season
_OPEN_LIFE = re.compile(r"\d{4}年?\s*[–—-]\s*$")
_YEAR = re.compile(r"(?<!\d)(?:1\d|20)\d\d(?!\d)")
_TOKEN = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*|\d+")
_AGENTS = ("ist", "ician", "arian", "man", "woman", "maker", "binder", "keeper")
_CJK = re.compile(r"[\u3400-\u9fff]")
_EDIT_LENGTH = 5  # shorter surnames that differ in a letter are mostly different surnames


def split_title(title: str) -> tuple[str, str]:
    """A title's name and the parenthesis that tells it from others; "(part 1)", "(2023 edition)" tell nobody apart."""
    match = _TAG.match(title.strip()) or _PEER.fullmatch(title.strip()) or _REGNAL.fullmatch(title.strip())
    if not match:
        return title.strip(), ""
    base, tag = match["base"].strip(), match["tag"].strip()
    life = _LIFE.fullmatch(tag)
    if life and looks_personal(base) and int(life[2]) - int(life[1]) in _LIFETIME:
        return base, tag
    return (base, "") if _DOCUMENT_TAG.fullmatch(tag) else (base, tag)


def birth_year(text: str) -> str:
    """The year of birth in a parenthesis such as "born 14 May 1983" or "1894 - 1970"; "" if there is none."""
    years = _YEAR.findall(text)
    if not years or re.search(r"\b(?:born|b\.)|生", text):
        return years[0] if years else ""
    if len(years) > 1:  # two years far enough apart for a life, not a term, a season or the years of building
        return years[0] if re.search("[–—-]", text) and int(years[1]) - int(years[0]) in _LIFETIME else ""
    return years[0] if _OPEN_LIFE.search(text) else ""


@lru_cache(maxsize=16_384)
def roles(text: str) -> frozenset[str]:
    """Fields of the occupations or kinds that a description names ("a Flemish politician" -> {"state"})."""
    folded = text.casefold()
    found = {field for word, field in FIELD_OF.items() if not word.isascii() and word in folded}
    for token in _TOKEN.findall(folded):
        for part in (token, *token.split("-")):
            field = FIELD_OF.get(part) or FIELD_OF.get(part.removesuffix("s"))
            if field:
                found.add(field)
    return frozenset(found)


def is_rank(tag: str) -> bool:
    """Whether a title's tag is a numbered rank ("3rd Baronet"), which tells its bearer from an untitled relative."""
    return bool(_RANK.match(tag))


@lru_cache(maxsize=16_384)
def kind_of(tag: str, name: str) -> frozenset[str] | None:
    """Fields of a parenthesis that says who or what bears the name; None where it names a document or a topic.

    "(ice hockey)", "(cyclist from Hull)", "(born 1936)", "(of Belgium)" do, "(resume)" and "(library guide)" do not.
    Occupations count for names of the shape of a person's only.
    """
    if not tag:
        return None
    if birth_year(tag) or _LIFE.search(tag):
        return roles(tag)
    person = looks_personal(name)
    if is_cjk(tag):
        found = roles(tag)
        ends = any(tag.endswith(word) for word in FIELD_OF if not word.isascii()) or tag[-1] in "长家员手师者人工匠"
        return found if ends and (person or found <= THINGS) else None
    if person and (tag.startswith("of ") or is_rank(tag)):
        return roles(tag)
    head = re.split(r",| (?:of|from|in|at|and|for) |[;/(]", tag.casefold())[0].strip()
    last = re.split(r"[\s-]", head)[-1]
    found = roles(head)
    if found and (last in FIELD_OF or last in KIND_HEADS):
        return found if person or found <= THINGS else None
    return found if person and last not in NO_BEARERS and (last in BEARERS or last.endswith(_AGENTS)) else None


@lru_cache(maxsize=65_536)
def name_key(name: str) -> tuple[str, ...]:
    """Case- and accent-folded words of a name, without honorifics and generational marks."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c)).casefold()
    words = [part for word in _TOKEN.findall(plain) for part in word.rstrip(".").split("-") if part]
    kept = [word for word in words if word not in HONORIFICS] or words
    while len(kept) > 2 and kept[-1] in GENERATIONS:
        kept.pop()
    return tuple(kept)


def is_cjk(name: str) -> bool:
    """Whether the name is written without spaces between its words."""
    return bool(_CJK.search(name))


def looks_personal(name: str) -> bool:
    """Whether a name has the shape of a person's: two to six words in capitals but for particles, or short Chinese."""
    if is_cjk(name):
        return 2 <= len(name) <= 4
    words = [word for word in re.split(r"\s+", name.strip()) if word]
    if not 2 <= len(words) <= 6 or any(character.isdigit() for character in name):
        return False
    return words[-1][0].isupper() and all(
        word[0].isupper() or word in PARTICLES or word[0] in "\"'“(" for word in words
    )


def same_given(one: str, other: str) -> bool:
    """Whether two given names can be one person's: equal, an initial, a short form or a known nickname."""
    if one == other or (min(len(one), len(other)) == 1 and one[0] == other[0]):
        return True
    if min(len(one), len(other)) in {3, 4} and (one.startswith(other) or other.startswith(one)):
        return True  # "Alex", "Matt"; longer ones are names of their own ("Victor", "Victoria")
    return any(one in names and other in names for names in NICKNAMES) or _one_edit(one, other)


def same_surname(one: str, other: str) -> bool:
    """Whether two surnames are equal up to one letter ("Clark", "Clarke")."""
    return one == other or _one_edit(one, other)


@lru_cache(maxsize=65_536)
def same_name(one: str, other: str) -> bool:
    """Whether an answer could mean either bearer by one name: equal names, or one surname and kindred given names."""
    left, right = name_key(one), name_key(other)
    if not left or not right:
        return False
    if left == right:
        return True
    if not (looks_personal(one) and looks_personal(other)) or is_cjk(one) or is_cjk(other):
        return False
    return same_surname(left[-1], right[-1]) and same_given(left[0], right[0])


@lru_cache(maxsize=65_536)
def may_be_same_name(one: str, other: str) -> bool:
    """As ``same_name``, or one name within the other ("Sheila Jackson", "Sheila Jackson Lee"); for people only."""
    if same_name(one, other):
        return True
    left, right = sorted((name_key(one), name_key(other)), key=len)
    if len(left) < 2 or not (looks_personal(one) and looks_personal(other)) or is_cjk(one):
        return False
    if left == right[-len(left) :]:
        return True
    return same_given(left[0], right[0]) and left[1:] == right[1 : len(left)]


def bucket_keys(name: str) -> set[tuple[str, str]]:
    """Keys such that kindred names have one in common; comparing within them is enough."""
    key = name_key(name)
    keys = {(" ".join(key), "")} if key else set()
    if len(key) > 1 and looks_personal(name):
        for given in key[:-1]:
            sets = {str(number) for number, names in enumerate(NICKNAMES) if given in names}
            keys |= {(surname[:2], sign) for surname in key[1:] for sign in (given[0], *sets)}
    return keys


def _one_edit(one: str, other: str) -> bool:
    if max(len(one), len(other)) < _EDIT_LENGTH or abs(len(one) - len(other)) > 1 or one[0] != other[0]:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rest_one, rest_other = one[start:], other[start:]
    if rest_one[1:] == rest_other or rest_one == rest_other[1:]:
        return True
    # "Shelden" is a spelling of "Sheldon", but "Galal" is not one of "Gamal".
    return rest_one[1:] == rest_other[1:] and rest_one[0] in "aeiouy" and rest_other[0] in "aeiouy"
