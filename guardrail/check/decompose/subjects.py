"""Whom or what a sentence is about: its subject, when a few rules can tell it safely (English and Chinese)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto


class Sort(Enum):
    """What a name can be called again by."""

    MALE = auto()  # he
    FEMALE = auto()  # she
    PERSON = auto()  # he or she
    THING = auto()  # it
    MANY = auto()  # they
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Subject:
    """A noun phrase that a later pronoun may stand for.

    ``describes``: its sentence has a form of "be", so that no object competes with the subject. ``rivals``: other
    names in the sentence; ``agents``: those of them that did what it says ("was followed by X").
    """

    name: str
    sort: Sort
    describes: bool
    rivals: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()


_LINK = r"(?:de|del|della|di|da|do|dos|du|van|von|der|den|la|le|el|al|bin|ibn|of|the|for|and|y|&)"
_ANY_NAME = re.compile(rf"(?<![.!?]\ )(?<!^)\b[^\W\d_a-z][\w'’-]+(?:\ (?:{_LINK}\ ){{0,2}}[^\W\d_a-z][\w'’.-]+){{0,5}}")
_NOT_NAMES = frozenset(
    """he she it they this that these those his her its their there here we you i who what which when where why how if
    in on at by for from to with as of and but or so yet not no yes all some many most few each every both such another
    other one two three several any people a an the our my your after before during since while although though because
    however therefore thus then also additionally moreover furthermore born known according based overall today later
    finally first second third both either neither add use please let do does did is are was were am can could would
    should has have had tell describe explain list give compare summarize show january february march april may june
    july august september october november december monday tuesday wednesday thursday friday saturday sunday""".split()
)
_PLACED = re.compile(
    r"\b(?:in|at|from|near|of|to|on|for|against|since|during|through|between|across|over|under|around"
    r"|into)\ (?:the\ |a\ )?(?:[^\W\d_a-z][\w'’.-]*(?:\ [^\W\d_a-z][\w'’.-]*)?,\ )?$|[(\[]$"
)
_MEN = frozenset("mr sir king prince lord father brother son husband uncle grandfather".split())
_WOMEN = frozenset("mrs ms miss lady queen princess dame mother sister daughter wife aunt grandmother".split())
"""Titles and nouns of kinship. First names are no sign: no list of them is complete, and no test set needs one."""
_THING_SIGN = re.compile(
    r"\b(?:Inc|Ltd|Corp|Corporation|Company|GmbH|University|College|Institute|Museum|Tower|Bridge|River|Lake|Mount|Park"
    r"|Hotel|Bank|Group|Church|Castle|Palace|Airport|Station|Street|Act|Treaty|War|Battle|League|Club|Party|Agency"
    r"|Union|Association|Committee|Council|City|County|Island|Sea|Ocean)\b|^[Tt]he "
)

_RELATIVE = re.compile(
    r"['’]s?\ (?:\w+\ )?(father|brother|son|husband|uncle|grandfather|mother|sister|daughter|wife|aunt|grandmother"
    r"|friend|teacher|colleague|partner|successor|predecessor|mentor|student|cousin|child|parent)"
)
_CAP = r"(?:[^\W\d_a-z][\w'’.&-]*|\d{1,4}(?=\ [^\W\d_a-z]))"
_NAME = (
    rf"[^\W\d_a-z][\w'’.&-]*(?:\ (?:{_LINK}\ ){{0,3}}{_CAP}){{0,7}}"
    r"(?:,\ (?:Jr\.|Sr\.|\d{1,2}(?:st|nd|rd|th)\ [A-Z]\w+(?:\ of\ [A-Z]\w+)?))?"
)
_BE = r"(?:is|are|was|were|has\ been|have\ been|had\ been|will\ be)"
_VERB = (
    rf"(?:{_BE}|has|have|had|does|did|can|could|will|would|may|might|must|became|becomes|began|begins|won|wins|wrote"
    rf"|writes|made|makes|held|holds|led|"
    r"leads|took|takes|gave|gives|grew|grows|ran|runs|met|meets|left|leaves|lost|sold|sells|built|spent|taught|fought"
    r"|came|comes|went|goes|stands|stood|lies|lives|plays|works|serves|covers|contains|includes|offers|provides|uses"
    r"|produces|hosts|features|owns|remains|grants|(?!need|seed|speed|breed)[a-z]{2,}ed)"
)
_ADVERB = r"(?:(?:also|later|then|first|now|still|often|only|never|originally|soon|[a-z]+ly)\ ){0,2}"
INTRO = (
    r"(?:In|On|At|By|During|From|Since|Throughout|Until|Before|After|Around|Over|Later|Today|Currently|Originally|Initially"
    r"|Additionally|Moreover|Furthermore|However|Also|Therefore|Thus|Consequently|Subsequently|Then|Nevertheless|Meanwhile"
    r"|Eventually|Finally|As\ a\ result|Born)\b[^.;!?]{0,70}?,\ "
)
"""What may stand before the subject of an English sentence, as a pattern."""
_INTRO = re.compile(INTRO)
_SUBJECT = re.compile(
    rf"(?P<name>(?:The\ |the\ )?{_NAME})(?P<aside>\ \([^()]{{1,80}}\)"
    rf"|,\ [^.;]{{1,120}}?,)?\ {_ADVERB}(?P<verb>{_VERB})\b"
)
_COMMON = re.compile(
    rf"(?P<name>(?:The|the|A|An|Our)\ [a-z][a-z-]+(?:\ (?!{_VERB}\b)[a-z][a-z-]+){{0,2}})\ {_ADVERB}(?P<verb>{_BE}"
    rf"|has|have|had)\b"
)
_PERSON_SIGN = re.compile(
    r"\b(?:born|died|who|actor|actress|author|writer|poet|singer|musician|composer|painter|artist|politician|president"
    r"|minister|scientist|physicist|chemist|mathematician|engineer|footballer|player|coach|swimmer|lawyer|judge"
    r"|professor|philosopher|general|soldier|king|queen|lord|emperor|bishop|businessman|businesswoman|entrepreneur"
    r"|journalist|director|athlete|teacher|doctor|nurse|son|daughter|father|mother|brother|sister|wife|husband)\b"
)
_PERSON_NOUN = re.compile(rf"{_PERSON_SIGN.pattern}$")


def relative_in(text: str) -> str:
    """The noun of a person in a possessive at the start ("Curie's father ..."), else ""."""
    found = _RELATIVE.search(text[:120])
    return "" if found is None else found[1]


def gender(name: str) -> Sort:
    """MALE or FEMALE by title or noun of kinship; else UNKNOWN."""
    first = name.lower().split()[0].strip(".")
    return Sort.MALE if first in _MEN else Sort.FEMALE if first in _WOMEN else Sort.UNKNOWN


def is_thing(name: str) -> bool:
    """Whether the name cannot be a person's full name."""
    return " " not in name or _THING_SIGN.search(name) is not None


def names_in(text: str) -> tuple[str, ...]:
    """Capitalised names in an English text, without months, pronouns and words that only open a sentence."""
    found = []
    for match in _ANY_NAME.finditer(" " + text):
        words = match[0].split()
        while words and words[0].lower().rstrip(".") in _NOT_NAMES:
            words = words[1:]
        if words:
            found.append(" ".join(words).removesuffix("'s").removesuffix("’s").rstrip("."))
    return tuple(dict.fromkeys(found))


def rivals_in(rest: str, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names besides the subject's that are no mere place or topic, and those of them that follow "by"."""
    rivals, agents = [], []
    for match in _ANY_NAME.finditer(rest):
        before = rest[max(0, match.start() - 48) : match.start()]
        if match[0] in name or match[0].split()[0].lower() in _NOT_NAMES or _PLACED.search(before):
            continue
        rivals.append(match[0])
        if before.endswith("by "):
            agents.append(match[0])
    return tuple(rivals), tuple(agents)


def _sort(name: str, sentence: str, verb: str, aside: str) -> Sort:
    words = [word.strip(".") for word in name.lower().split()]
    plural_verb = verb in {"are", "were", "have"} or verb == "have been"
    if " and " in name and plural_verb:
        return Sort.MANY
    if len(words) > 1 and (sort := gender(name)) is not Sort.UNKNOWN and not _THING_SIGN.search(name):
        return sort
    if plural_verb:
        return Sort.MANY
    if words[0] == "the" or _THING_SIGN.search(name):
        return Sort.PERSON if _PERSON_NOUN.search(name) else Sort.THING
    predicate = sentence[sentence.find(verb) : sentence.find(verb) + 70]
    if _PERSON_SIGN.search(aside) or (
        re.match(rf"{_BE} (?:\w+ly )?(?:born\b|(?:an?|the) )", predicate) and _PERSON_SIGN.search(predicate)
    ):
        return Sort.PERSON
    return Sort.UNKNOWN


def _english(sentence: str, known: Subject | None) -> Subject | None:
    intro = _INTRO.match(sentence)
    for start in (0, intro.end()) if intro else (0,):
        found = _SUBJECT.match(sentence, start) or _COMMON.match(sentence, start)
        if found is None:
            continue
        name, aside = found["name"], found.groupdict().get("aside") or ""
        words = name.split()
        if words[0].lower() in _NOT_NAMES - {"the", "a", "an", "our", "both"} or re.search(r"['’]s\b", name):
            return None
        if words[0] in {"A", "An", "The"}:
            name = "the " + " ".join(words[1:])
        if known and known.name.endswith(f" {name}"):  # a bare surname is the person named before
            name = known.name
        verb = found["verb"]
        sort = _sort(name, sentence, verb, aside)
        if known and known.name == name and sort is Sort.UNKNOWN:
            sort = known.sort
        return Subject(name, sort, re.match(rf"{_BE}$", verb) is not None, *rivals_in(sentence[found.end() :], name))
    return None


_HAN_NAME = re.compile(
    r"(?:(?:\d{1,4}年(?:\d{1,2}月)?(?:\d{1,2}日)?|后来|此后|随后|目前|当时)，?)?(?P<name>[\u3400-\u9fffA-Za-z·]{2,14}?)(?:[（(][^）)]{1,60}[）)])?，?(?P<verb>是|于\d|于[一二]|出生|生于|位于|坐落|成立|始建|建于|曾|毕业|担任|获得|荣获|被誉|被称|拥有|发明|发现|创立|创办|创建|去世|逝世|高\d|（)"
)
_HAN_NOT_NAME = re.compile(
    r"[这那该此其他她它我你您但因如当在由从对根据每不所许有一两几各某若虽]|公元|同时|此外|另外|例如|目前|首先|其次|最后|总之|答案|问题|原因|结果|主要|第[一二三\d]"
)
_HAN_PERSON = re.compile(r"·|(?:先生|教授|博士|将军|皇帝)$")
_HAN_THING = re.compile(
    r"(?:公司|集团|大学|学院|医院|银行|塔|桥|寺|山|河|湖|市|省|县|区|国|机构|组织|协会|博物馆|公园|系统|法|条例|项目|计划|产品|平台|学校)$"
)


def _chinese(sentence: str) -> Subject | None:
    found = _HAN_NAME.match(sentence)
    if found is None or _HAN_NOT_NAME.match(found["name"]) or "的" in found["name"]:
        return None
    name = found["name"]
    if re.search(r"[和与及、]", name):
        return Subject(name, Sort.MANY, describes=True)
    if name.endswith(("夫人", "女士", "小姐")):
        sort = Sort.FEMALE
    elif _HAN_THING.search(name):
        sort = Sort.THING
    else:
        person = (
            _HAN_PERSON.search(name)
            or re.match(r"出生|生于|毕业|担任|去世|逝世", found["verb"])
            or "出生" in sentence[:40]
        )
        sort = Sort.PERSON if person else Sort.UNKNOWN
    return Subject(name, sort, describes=True)


def subject_of(sentence: str, lang: str, known: Subject | None) -> Subject | None:
    """The subject of a (plain) sentence, or None if it cannot be told; ``known`` is the subject before."""
    head = sentence[:500]  # the subject stands early; what follows may be long
    if lang == "zh":
        return _chinese(head)
    return _english(head, known) if lang == "en" else None


def asked_about(question: str | None, lang: str) -> Subject | None:
    """The one name in the question; None if there is none or more than one."""
    if not question:
        return None
    question = question[:1000]
    if lang == "zh":
        found = re.match(
            r"(?:请问|介绍一下|请介绍)?(?P<name>[\u3400-\u9fff·A-Za-z]{2,14}?)(?:是谁|是什么人|是什么|是哪|的|什么时候|在哪|何时|出生|位于|成立|有)",
            question,
        )
        if found is None or _HAN_NOT_NAME.match(found["name"]) or "谁" in found["name"]:
            return None
        return Subject(found["name"], Sort.UNKNOWN, describes=True)
    names = names_in(question)
    if len(names) != 1:
        return None
    return _english(f"{names[0]} is", None) or Subject(names[0], Sort.UNKNOWN, describes=True)
