"""Signs that a title, a table header or a fragment makes a claim. When in doubt it does."""

from __future__ import annotations

import re

VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|does|do|did|can|could|will|would|must|should|may|might|won|became"
    r"|becomes|wrote|founded|\w{3,}ed)\b"
    r"|[是为有在被将了]",
    re.IGNORECASE,
)
_PREDICATE = re.compile(  # past forms without "-ed", and what a headline says without any verb
    r"\b(?:built|fell|rose|broke|shot|cut|hit|sank|burst|stole|bought|sold|paid|lost|found|kept|spent|went|came|left"
    r"|gave|took|saw|said|made|held|led|ran|began|grew|drew|drove|flew|knew|threw|wore|died|met|got|fought|taught"
    r"|caught|brought|thought|struck|blew|slew|cannot|isn['’]t|aren['’]t|wasn['’]t|weren['’]t|free|prohibited|forbidden"
    r"|closed|open|dead|illegal|legal|mandatory|compulsory|true|false|never|not|only|everyone|nobody|no\ one|we|they"
    r"|it|he|she|owns?|kills?|costs?|bans?|contains?|includes?)\b"
    r"|导致|死亡|杀|禁止|免费|拥有|建造|倒塌|发明|属于|获得|成立",
    re.IGNORECASE,
)
# A word in "-s" that something follows as its object: "kills dozens", not "benefits of", "hours".
_THIRD_PERSON = re.compile(
    r"\w[\w'’-]*\ (?:\w[\w'’-]*\ )?[A-Za-z]{2,}[b-hj-rtv-z]e?s\ "
    r"(?!(?:of|in|and|or|for|at|to|with|on|by|from|&|vs)\b)\w",
    re.IGNORECASE,
)
_LINKS = re.compile(r"\s(?:of|in|and|or|for|at|to|with|on|by|from|&|vs\.?|[-–—|/])\s|[:：,，(（]\s?", re.IGNORECASE)
_SECTION = re.compile(
    r"\s*(?:\d{1,2}(?:\.\d{1,2})*[.)、:：]\s*|\d{1,2}(?:\.\d{1,2})+\s+"
    r"|(?:step|chapter|part|section|phase|option|figure|table|day|week|appendix|tip|example|reason|question"
    r"|method|stage|level)\s\d{1,2}\b[.:)]?\s*"
    r"|(?:answer|response|reply|source|document|passage)\s\d{1,2}\b\s*(?:[.:)]\s*|$))",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_STOP = re.compile(r"[.。!！][\"'”’)]?\s*$")
_LINKED = re.compile(r"\w,?\s(?:is|are|was|were)\b", re.IGNORECASE)


def predicates(text: str) -> bool:
    """Whether a fragment may have a verb, or something that stands for one."""
    return bool(VERB.search(text) or _PREDICATE.search(text) or _THIRD_PERSON.search(text))


def title_claims(title: str) -> bool:
    """Whether a title says more than what its section is about."""
    if section := _SECTION.match(title):
        title = title[section.end() :]
    if _DIGIT.search(title) or VERB.search(title):
        return True
    if len(title.split()) < 4 and not re.search("[\u3400-\u9fff]", title):
        return False
    return predicates(title) or any(len(part.split()) > 4 for part in _LINKS.split(title))


def header_claims(titles: tuple[str, ...]) -> bool:
    """Whether the column titles of a table hold a sentence."""
    for title in titles:
        words = len(title.split())
        if (words >= 4 and (predicates(title) or _DIGIT.search(title))) or (words >= 3 and _STOP.search(title)):
            return True
        if len(title) >= 8 and re.search("[\u3400-\u9fff]", title) and predicates(title):
            return True
    joined = " ".join(titles)
    return len(joined.split()) >= 4 and any(_LINKED.search(title) for title in titles)
