"""Talk to the reader that a model may leave unchecked; greetings and questions the rules skip by themselves."""

from __future__ import annotations

import re

from guardrail.text.facts import extract
from guardrail.text.wording import words
from guardrail.text.words import stem

_FIRST_PERSON = re.compile(r"\b(?:i|me|let['’]s|please|happy|glad|thanks?)\b", re.IGNORECASE)
_WISHES = re.compile(r"(?:i|we)\s+(?:wish|hope)\b", re.IGNORECASE)
_OFFERS = re.compile(
    "我(?:还|也|很)?(?:可以|能|愿意|乐意)?(?:继续|再|进一步)?(?:帮|为|给|向|告诉)[您你]"
    "(?:继续|进一步|详细|更多|提供|比较|介绍|查询|查找|说明|解释|解答|整理|信息|一下|的)*[。！!]?"
)
_TALK = frozenset(
    stem(word)
    for word in "answer ask assist course explain feel free further glad good happy help hope information know let "
    "like luck need please provide question sure tell thank welcome wish else anything".split()
)
"""Words of talk that the rules do not know as a greeting."""
_WISHED = 2
"""Other words that a wish may have ("I wish you a good ride")."""


def talks(text: str) -> bool:
    """Whether a text may be left unchecked on a model's word: talk to the reader that speaks of nothing.

    Greetings, questions and refusals are known to the rules; "You can cancel" or "I can confirm that ..." are claims.
    """
    if _OFFERS.fullmatch(text):
        return True
    if extract(text).facts or _FIRST_PERSON.search(text) is None:
        return False
    return len(words(text) - _TALK) <= (_WISHED if _WISHES.match(text) else 0)
