"""What in a piece of an answer tells a reader that somebody else is spoken of now."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from guardrail.check.entities.names import birth_year, roles
from guardrail.check.entities.namesakes import first_mention
from guardrail.types import Span

_LEAD = (
    r"^[\s*_#>\"“]*(?:(?:and|but|finally|additionally|furthermore|moreover|lastly|meanwhile|similarly|however|then|"
    r"on the other hand|in contrast|by contrast|in addition|while|"
    r"whereas|also|next|in (?:\d{4}|real life|fact)|fellow \w+)\b,?\s+)*"
)
_PERSON = r"(?:person|individual|man|woman|figure|namesake|people|bearer|athlete|player|entry|result)"
_ANOTHER = re.compile(
    _LEAD + r"(?:there (?:is|was) (?:also )?|we (?:also )?have )?(?:yet )?(?P<which>another|"
    r"an?other|also an?|an? (?:second|third|fourth|fifth|different)|"
    r"the (?:first|second|third|fourth|fifth|next|last|final|other|former|latter)|one|an?)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NAMED = re.compile(
    rf"^\s+(?:(?:notable|famous|different|separate)\s+)?(?:(?:one|"
    rf"{_PERSON})\b|(?:is|was|were)\b|of (?:them|these|the)\b|,)",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"\b(?:named|called|by the name of|with the (?:same )?name|also named|who shares)\b", re.IGNORECASE
)
_ALSO_NAMED = re.compile(
    r"\b(?:there (?:is|was) (?:also )?|also )an? [^.;]{0,60}\b(?:named|called|by the name of|with the same name)\b"
    r"|\b(?:different|other|another) (?:person|individual|man|woman)\b",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    rf"\b(?:two|three|four|five|six|several|multiple|many|various|different|"
    rf"few|\d)\b[^.]{{0,50}}\b(?:{_PERSON}s?|people|men|women|[a-z]+ers|"
    r"[a-z]+ists|[A-Z]\w+s)\b[^.]{0,40}\b(?:named?|called|share|known as)\b|"
    r"\bname (?:is )?shared by\b|\bshares? (?:the|this|a|that|his|her) (?:same )?"
    r"(?:first |full )?name\b|\b(?:may|can|could) (?:also )?refer to\b|"
    r"\bmore than one\b[^.]{0,40}\bnamed?\b|同名的?(?:人|有)|有(?:两|三|四|多|几)位|可以?指",
)
_CHINESE_OTHER = re.compile(
    r"^[\s*#]*(?:[而但]|此外[，,]?|另外[，,]?)*(?:另有|另一[位个名]|"
    r"还有一[位个名]|同名的?另一|第[二三四五][位个名]|其[二三四]|另外一[位个名])"
)
_CHINESE_FIRST = re.compile(r"^[\s*#]*(?:第一[位个名]|其一|一位)")
_MARKER = re.compile(r"(?:^|\n)[ \t]*(?:\d{1,2}[.)、]|[-*•]|\(?[a-z]\)|[（(]?[一二三四五六][)）、])[ \t*_]*$")
_OWN_MARKER = re.compile(r"^\s*(?:\d{1,2}[.)、]|[-*•]|\(?[a-z]\)|[（(][一二三四五六][)）])\s*[*_]*")
_DESCRIBES = re.compile(
    r"^[*_\"”]*\s*(?:\((?!\d\))[^()]{3,80}\))?[*_]*\s*(?:,?\s*(?:on the other hand|"
    r"however|meanwhile|in contrast),?)?\s*"
    r"(?::|[-–—]|,\s*(?:an?\b|the\b|born\b|who\b|[a-z]+ \w*er\b|(?:or|known|also known|"
    r"better known)\b)|,?\s*(?:is|was|were) (?!also\b)(?:an?\b|the\b|born\b|one\b)|,?\s*born\b"
    r"|[，,]?(?:是|为|生于|出生|，))"
)
_WITH_TAG = re.compile(
    r"^[*_]*\s*(?:[(（](?P<tag>[^()（）]{2,60})[)）]|, (?P<peer>(?:the )?\d+(?:st|"
    r"nd|rd|th) (?:Baron|Viscount|Earl|Marquess|Duke|Count)[^,.]*))"
)
_CONTRAST = re.compile(r"^,? (?:on the other hand|in contrast|by contrast|meanwhile)\b")
_ALSO = re.compile(r"^[^.;]{0,20}\b(?:is|was) also\b")
_ORDINALS = {"first": 0, "former": 0, "second": 1, "latter": 1, "third": 2, "fourth": 3, "fifth": 4}


@dataclass(frozen=True, slots=True)
class Cues:
    """What the opening of a piece says about whom it is about."""

    announces: bool  # "there are three people of this name"
    another: bool
    ordinal: int | None  # "the second" -> 1
    listed: bool
    mention: Span | None  # the first one by full name
    opens: bool  # the piece begins with that mention
    described: bool  # the mention comes with a description of its own
    also: bool  # "Jo Cook was also a cricketer"
    tag: str
    born: str
    roles: frozenset[str]


def read(text: str, before: str, names: Iterable[str]) -> Cues:
    """Cues in a piece of the answer; ``before`` is what stands between it and the piece before (list markers)."""
    piece = body(text)
    mention = first_mention(piece, names)
    head = piece[:160]
    another, ordinal = _another(head, mention)
    rest = piece[mention.end :] if mention else ""
    opens = (
        mention is not None and re.fullmatch(_LEAD + r"[^.;,]{0,12}", piece[: mention.start], re.IGNORECASE) is not None
    )
    if mention and re.search(r"\bthe\s+$", piece[: mention.start], re.IGNORECASE):
        opens = False  # "The Jo Cook Foundation is ..." introduces no person
    again = first_mention(rest, names)
    if mention and again and again.start <= 2:  # a title copied in front of the sentence
        mention = Span(mention.end + again.start, mention.end + again.end)
        rest = piece[mention.end :]
    tag_match = _WITH_TAG.match(rest)
    tag = (tag_match["tag"] or tag_match["peer"]).strip() if tag_match else ""
    if birth_year(tag) and not roles(tag):
        tag = ""  # dates of birth and death are facts, read below
    return Cues(
        announces=announces(piece),
        another=another or (opens and bool(_CONTRAST.match(rest))),
        ordinal=ordinal,
        listed=bool(_OWN_MARKER.match(text) or _MARKER.search(before)),
        mention=mention,
        opens=opens,
        described=opens and (bool(tag) or bool(_DESCRIBES.match(rest))),
        also=bool(_ALSO.match(rest)),
        tag=tag,
        born=_born(rest[:160]) if mention else "",
        roles=roles(re.split(r"[.;。；]|\b(?:who|which|from|for)\b", rest[:140])[0]) if mention else frozenset(),
    )


def announces(text: str) -> bool:
    """Whether a piece says that several bear the name, and so speaks of none of them alone."""
    return bool(_ANNOUNCES.search(text))


def _born(text: str) -> str:
    match = re.match(r"[*_]*\s*[(（]([^()（）]{4,80})[)）]", text)
    in_parenthesis = birth_year(match[1]) if match else ""
    dated = re.search(r"\bborn\b[^.;]{0,60}?\b(\d{4})\b|生于\s*(\d{4})|(\d{4})年[^。]{0,10}(?:出生|生)", text)
    return in_parenthesis or (next(filter(None, dated.groups()), "") if dated else "")


def _another(head: str, mention: Span | None) -> tuple[bool, int | None]:
    if _CHINESE_OTHER.match(head):
        return True, None
    if _CHINESE_FIRST.match(head):
        return False, 0
    match = _ANOTHER.match(head)
    if match:
        which, rest = match["which"].casefold(), match["rest"]
        near = mention is not None and match.start("rest") <= mention.start <= match.start("rest") + 60
        called = bool(_CALLED.search(rest[:80]))
        # "Another Paul Nash", "Another is", "A third person named"; never "Another of his works", "One day".
        if near and which in {"a", "an"} and re.match(_LEAD + r"there (?:is|was) also\b", head, re.IGNORECASE):
            return True, None
        if which in {"one", "a", "an"}:
            points = (which == "one" and bool(_NAMED.match(rest))) or (near and called)
            return points, 0 if which == "one" and points else None
        if _NAMED.match(rest) or near or called:
            ordinal = _ORDINALS.get(which.split()[-1]) if which.startswith("the ") else None
            return ordinal is None, ordinal
    return bool(_ALSO_NAMED.search(head)), None


def body(text: str) -> str:
    """A piece without its list marker; spans of mentions count from here."""
    own = _OWN_MARKER.match(text)
    return text[own.end() :] if own else text


def born_in(text: str) -> str:
    """The birth year that a piece states near its beginning, whoever it is of."""
    return _born(text[:120])


def describes(rest: str) -> bool:
    """Whether what follows a name is a description of its bearer."""
    return bool(_DESCRIBES.match(rest))


def of_person(text: str) -> bool:
    """Whether the beginning of a piece speaks of a person or an occupation ("Another, a painter, ...")."""
    return bool(re.search(rf"\b{_PERSON}\b|[一两几]?位", text[:60], re.IGNORECASE) or roles(text[:100]))
