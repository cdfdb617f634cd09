"""How a passage introduces its subject: name, birth year, occupation ("Dick Hanley (1894 - 1970) was a coach")."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from guardrail.check.entities.names import (
    birth_year,
    is_cjk,
    looks_personal,
    name_key,
    roles,
    same_given,
    same_name,
    split_title,
)
from guardrail.types import Passage

_WORD = r"[A-Z\u00c0-\u00de\u0100-\u017f][\w'’.\-]*"
_NAME = (
    rf"(?P<name>{_WORD}(?: (?:{_WORD}|de|la|los|del|der|van|von|da|di|du|le|bin|y|[\"“][^\"”]{{1,20}}[\"”])){{0,5}})"
)
_DATES = r"(?:,? \((?P<dates>[^()]{4,90})\))?"
_ASIDE = r"(?:,[^.()]{1,80}?,)?"
_INTRODUCTION = re.compile(
    rf"(?P<other>(?:Another|A different|The other|A second)\s+)?(?:(?:Sir|"
    rf"Dr\.?|Father|Brigadier|Rev\.) )?{_NAME}{_DATES}{_ASIDE} ?"
    r"(?:,? (?:is|was|are|were|has been) (?:also )?(?P<born>born\b[^.]{0,50})?(?:an? |"
    r"the |one of the )?(?P<what>[^.;]{3,160}))"
)
_TITLED = re.compile(
    r"(?P<name>[^(,;]{3,90}?)(?P<aside>[ ,(].{0,160}?)\b(?:is|was) (?:also |born |now )?(?P<what>[^;]{3,160})"
)
_CHINESE = re.compile(
    r"(?P<other>(?:另有一位|另一位|另一个|还有一位|另有)(?:叫|名叫|同名的)?)?(?P<name>[\u4e00-\u9fff]{2,4}?)"
    r"(?:[（(](?P<dates>[^（）()]{2,40})[）)])?[，,]?(?P<born>(?:生于)?(?:1\d|"
    r"20)\d\d年[^。，]{0,12}生)?[，,]?(?:是|为|系|曾任|现任|担任)(?P<what>[^。；]{2,60})"
)
_DESCRIPTION_END = re.compile(
    r"\b(?:who|which|that|best|known|from|for|of|at|with|named|in|and is|and was)\b|，|,.{30,}"
)
_OTHER = re.compile(r"(?:Another|A different) |另有一位|另一位|另一个|还有一位")
_NOT_A_NAME = frozenset(
    "the this that these those it he she they we you i in on at an a as if when while after before there here our "
    "your its his her their for with from by to all each every some most many "
    "no any another both what how why who where".split()
)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a passage is about. Empty strings and sets stand for "not said"."""

    name: str
    title: str
    tag: str
    born: str
    roles: frozenset[str]
    other: bool  # introduced as "another ..."


def subject_of(passage: Passage) -> Subject:
    """Read title and opening of a passage; the opening counts only if it speaks of the title's name, or of a person."""
    title = " ".join((passage.title or "").split())
    base, tag = split_title(title)
    opening = " ".join(passage.text[:2000].split())
    other = bool(base) and bool(_OTHER.match(opening)) and opening[:40].find(base) > 0
    if not title:
        tag, opening = _leading_tag(opening)
    elif title in opening:  # chunks repeat the title before the opening, some after the end of another page
        opening = opening.split(title, maxsplit=1)[-1].lstrip(" :.-") or opening
        if not opening[:1].isupper() or split_title(title)[0] == title:
            opening = opening if opening.startswith(base) else f"{base} {opening}"
    told = _titled(base, opening) if base and looks_personal(base) and not is_cjk(base) else None
    if told is None:
        told = _introduced(opening)
    own = Subject(base, title, tag, birth_year(tag) or _life(base, opening), roles(tag), other=other)
    if told is None or (base and looks_personal(base) and not same_name(base, told.name)):
        return own
    if base and not same_name(base, told.name):
        # A page of several people ("Staff"): its passages speak for themselves, if they name a person.
        return replace(told, title=title) if told.born and looks_personal(told.name) else own
    if not base and not (told.born or told.roles):
        return own
    return Subject(base or told.name, title, tag, own.born or told.born, own.roles | told.roles, other or told.other)


def _life(base: str, opening: str) -> str:
    """The birth year in a parenthesis right after the title's person, also after a rank ("Captain Jo Cook (...")."""
    if not looks_personal(base):
        return ""
    last = base if is_cjk(base) else base.rsplit(maxsplit=1)[-1]
    found = re.search(rf"{re.escape(last)}(?: [A-Z]{{2,4}})*[,，]? ?[(（]([^()（）]{{4,90}})[)）]", opening[:160])
    return birth_year(found[1]) if found and (is_cjk(base) or _given(base, opening[: found.start()])) else ""


def _given(base: str, before: str) -> bool:
    """Whether the words before a surname hold the given name."""
    key = name_key(base)
    return bool(key) and any(same_given(word, key[0]) for word in name_key(before))


def _introduced(opening: str) -> Subject | None:
    """Read "Name (dates) is a ..." at the very beginning."""
    found = (_CHINESE if is_cjk(opening[:20]) else _INTRODUCTION).match(opening)
    name = found["name"].strip() if found else ""
    if not found or not name or name.split()[0].casefold() in _NOT_A_NAME:
        return None
    born = birth_year(found["dates"] or "") or birth_year(found["born"] or "")
    return Subject(name, "", "", born, _roles_in(found["what"]), other=bool(found["other"]))


def _titled(base: str, opening: str) -> Subject | None:
    """Read an encyclopedia's opening about the title's person, whatever ranks and letters surround the name."""
    found = _TITLED.match(opening)
    if not found:
        return None
    key, said = name_key(base), name_key(found["name"])
    if key[-1] not in said or not any(same_given(word, key[0]) for word in said):
        return None
    born = next((year for dates in re.findall(r"\(([^()]{4,90})\)", found["aside"]) if (year := birth_year(dates))), "")
    return Subject(
        base, "", "", born, _roles_in(found["what"]), other=bool(re.match(r"Another |A different ", opening))
    )


def _roles_in(what: str) -> frozenset[str]:
    return roles(_DESCRIPTION_END.split(what, maxsplit=1)[0])


def _leading_tag(opening: str) -> tuple[str, str]:
    """Chunks of encyclopedias often begin with their title: "Paul Nash (artist) Paul Nash (11 May 1889 ..."."""
    match = re.match(rf"({_WORD}(?: {_WORD}){{0,4}}) \(([^()]{{3,50}})\) (?=\1|{_WORD.replace('*', '+')} )", opening)
    if not match:
        return "", opening
    base, tag = split_title(f"{match[1]} ({match[2]})")
    rest = opening[match.end() :]
    return (tag, rest) if tag and rest.startswith(base.split()[0]) else ("", opening)
