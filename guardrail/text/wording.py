"""What a text tells, word by word: so that a model's rewording of an answer loses nothing and turns nothing round."""

from __future__ import annotations

import re
from collections import Counter

from guardrail.text.words import STOP_WORDS, content_words, stem

_SIGNS = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|nowhere|neither|nor|without|hardly|barely|scarcely|only|just|all|any|every"
    r"|each|most|some|few|if|unless|or|by|may|might|could|must|should|than|more|less|before|after|above|below|under"
    r"|over|until|against)\b|[不没沒无無非未]",
    re.IGNORECASE,
)
"""Little words that turn a statement round or say how much it claims; most are stop words elsewhere."""
NEGATIONS = frozenset("not no never none nobody nothing nowhere neither nor without hardly barely scarcely".split())
_CONTRACTIONS = ((r"\bcan(?:['’]t|not)\b", "can not"), (r"\bwon['’]t\b", "will not"), (r"n['’]t\b", " not"))
_REST = re.compile(r"(?<=\w)['’](?:s|re|ll|d|ve|m)\b", re.IGNORECASE)
_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
"""In these, some stop words are names: IT, WHO."""
_ANOTHER = re.compile("另一[位个個名]")
_YES_OR_NO = re.compile(r"^\s*(?:yes|no|是的|对|不是?)[,，]", re.IGNORECASE)
"""Before a statement that says it in full."""
_FILLERS = frozenset(
    map(
        stem,
        "another additionally addition furthermore moreover however finally meanwhile overall respectively".split(),
    )
) | frozenset("此外另同时時还還且但则則")


_OPENING = re.compile(r"\s*(?P<word>yes|no)\s*(?:[,;:!–—]|\.(?!\s*\d)|-(?!\w))[\s.,;:!–—]*", re.IGNORECASE)


def opening(text: str, at: int = 0) -> re.Match[str] | None:
    """A yes or no (group ``word``) that answers a question, up to the statement behind it; "No-one", "No. 5" do not."""
    return _OPENING.match(text, at)


def words(text: str) -> frozenset[str]:
    """Stems of the content words, without those that only lead over; CJK characters count as words."""
    names = {word for word in _CAPITALS.findall(text) if word.casefold() in STOP_WORDS}
    return frozenset(content_words(_spelled_out(text))) - _FILLERS | names


def signs(text: str) -> Counter[str]:
    """Negations, quantifiers, hedges and the like, with how often each stands there."""
    found = (match.group().casefold() for match in _SIGNS.finditer(_spelled_out(text)))
    return Counter(found)


def negations(text: str) -> int:
    """How often the text negates."""
    return sum(count for sign, count in signs(text).items() if sign in NEGATIONS or not sign.isascii())


def leaves_out(text: str, whole: str) -> bool:
    """Whether ``whole`` has a content word, or a sign more often, that ``text`` has not."""
    return bool(words(whole) - words(text) or signs(whole) - signs(text))


def _spelled_out(text: str) -> str:
    for contraction, full in _CONTRACTIONS:
        text = re.sub(contraction, full, text, flags=re.IGNORECASE)
    return _ANOTHER.sub("", _REST.sub("", _YES_OR_NO.sub("", text)))
