"""How a number is hedged: "about", "more than", "at most" and their kin."""

from __future__ import annotations

import re

from guardrail.text.facts.fact import Bound

_OVER = re.compile(
    r"(?:\b(?:over|more\sthan|above|beyond|exceed(?:s|ed|ing)?|at\sleast|(?:no|not)\s(?:less|fewer)\sthan|minimum\sof|upwards\sof"
    r"|greater\sthan|older\sthan|longer\sthan|higher\sthan|from|past|topp(?:ed|ing))\s(?:a\s|an\s|the\s)?|>|≥|超过|至少|不少于|多于|高于|大于|逾|不低于)\s?$",
    re.IGNORECASE,
)
_UNDER = re.compile(
    r"(?:\b(?:under|less\sthan|fewer\sthan|below|up\sto|at\smost|(?:no|not)\smore\sthan|within|maximum\sof|shorter\sthan|lower\sthan"
    r"|younger\sthan|smaller\sthan|until|(?:just|nearly|almost)\sshort\sof|short\sof)\s(?:a\s|an\s|the\s)?|<|≤|不到|少于|至多|最多|不超过|低于|小于|不足|不满)\s?$",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|approximately|roughly|nearly|almost|some|circa|close\sto|near|or\sso)\s(?:a\s|an\s|the\s)?|[~≈]|约|大约|大概|近|将近|接近|差不多)\s?$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\s?(?:(?P<over>多|余|or\s(?:more|over|older|above)|以上|\+)|(?P<under>or\s(?:less|fewer|under)|以下|以内|之内)|(?P<about>左右|上下|or\sso|来))"
)


def read_bound(text: str, start: int, end: int) -> Bound:
    """The hedge around the number at ``start`` to ``end``."""
    low = max(0, start - 16)
    if _UNDER.search(text, low, start):
        return Bound.UNDER
    if _OVER.search(text, low, start):
        return Bound.OVER
    if _ABOUT.search(text, low, start):
        return Bound.ABOUT
    if behind := _BEHIND.match(text, end):
        return Bound.OVER if behind["over"] else Bound.UNDER if behind["under"] else Bound.ABOUT
    return Bound.EXACT
