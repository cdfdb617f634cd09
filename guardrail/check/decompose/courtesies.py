"""Sympathy, wishes and invitations to ask on: whole sentences that state nothing of the subject."""

from __future__ import annotations

import re

_INVITES = re.compile(
    r"if\ (?:anything|something)\ (?:is|remains)\ (?:unclear|open),?\ (?:please\ )?(?:feel\ free\ to\ |just\ )?ask[.!]?"
    r"|if\ you\ (?:can|could)\ (?:send|give|show|tell)\ me\ [^.;:,]{1,60},\ i(?:['’]ll|\ will|\ can)"
    r"(?:\ gladly|\ happily)?\ (?:look|check|try|help)(?:\ again|\ further)?[.!]?",
    re.IGNORECASE,
)
_SYMPATHY = re.compile(
    r"(?:i|we)(?:\ (?:am|are)|['’](?:m|re))\ (?:very\ |so\ |truly\ |really\ |deeply\ )?sorry\ "
    r"(?:for|about|to\ hear(?:\ (?:about|of))?)\ (?:your|the|this|that|any)"
    r"(?:\ (?:loss|inconvenience|trouble|wait|confusion|delay|news))?[.!]?"
    r"|(?:i|we)(?:\ (?:am|are)|['’](?:m|re))\ (?:very\ |so\ |truly\ |really\ )?sorry\ to\ hear\ (?:that\ )?"
    r"you(?:\ are|['’]re)\ (?:unwell|ill|sick|not\ (?:feeling\ )?well|in\ pain"
    r"|having\ (?:trouble|problems|difficulties))[.!]?"
    r"|(?:对此|非常|十分|很)*(?:抱歉|遗憾)[。！]?",
    re.IGNORECASE,
)
_HOPE = re.compile(
    r"(?:i|we)\ (?:do\ |really\ |very\ much\ )?(?:hope|wish)\ (?:that\ )?(?:it|you|they|he|she|everything|all|things)\ "
    r"[a-z' ]{2,30}\ (?:soon|well|out|better|smoothly|safely|quickly|up\ soon)[.!]?",
    re.IGNORECASE,
)
_THEM = r"(?:doctor|nurse|midwife|pharmacist|dentist|lawyer)"
_ASK_THEM = re.compile(
    r"(?:please|it(?:['’]s|\ is|\ would\ be)\ best\ to)\ (?:ask|consult|talk\ to|speak\ to)\ "
    rf"(?:your\ |a\ |the\ )?{_THEM}(?:(?:,|,?\ or)\ {_THEM}){{0,3}}"
    r"(?:\ before\ you\ [a-z]+(?:\ (?:any|it|them|this|that))?|\ if\ you(?:\ are|['’]re)\ (?:unsure|in\ doubt))?[.!]?",
    re.IGNORECASE,
)


def is_courtesy(text: str) -> bool:
    """Whether a sentence, as a whole, is one of these; one more word that could state something, and it is none."""
    text = " ".join(text.split())
    return any(pattern.fullmatch(text) for pattern in (_SYMPATHY, _INVITES, _HOPE, _ASK_THEM))
