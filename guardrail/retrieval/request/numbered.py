"""Sources behind ``[1]``, ``Source 2:`` or ``Document 3 (Title):`` at the start of a line."""

from __future__ import annotations

import re

from guardrail.retrieval.request.source import Source
from guardrail.types import Passage, Span

_NAME = "(?:doc(?:ument)?|source|passage|chunk|context|excerpt|snippet)"
_MARK = re.compile(
    rf"^[ \t]{{0,3}}(?:\[(?:{_NAME}[ \t]?)?#?(\d{{1,4}})\]|{_NAME}[ \t]#?(\d{{1,4}})(?=[ \t]{{0,3}}[:.(\[-]))"
    r"[ \t]{0,3}(?:\(([^()\n]{1,200})\)|\[([^\[\]\n]{1,200})\])?[ \t]{0,3}[:.)-]?",
    re.IGNORECASE | re.MULTILINE,
)
_WORDS = re.compile(r"\w+\W+\w+\W+\w+")

LABEL = re.compile(
    r"^[ \t#*]{0,8}(?:(?:user|current|customer)(?:'s)?[ \t]+)?"
    r"(?:question|query|q|user|human|answer|a|instructions?|task|request|input|chat history|helpful answer)[*]{0,2}"
    r"[ \t]{0,3}:|^[ \t]{0,3}#{1,4}[ \t]|^Given (?:the|this) (?:context|information|documents)",
    re.IGNORECASE | re.MULTILINE,
)
"""What follows sources in a prompt."""


def numbered_sources(text: str) -> list[Source]:
    """The sources of a text that are numbered one by one from 0 or 1; none where one of them says nothing."""
    marks: list[re.Match[str]] = []
    for mark in _MARK.finditer(text):
        if _number(mark) in ({_number(marks[-1]) + 1} if marks else {0, 1}):
            marks.append(mark)
    if not marks:
        return []
    ends = [mark.start() for mark in marks[1:]]
    ends.append(_end_of_last(text, marks, ends))
    found = []
    for mark, end in zip(marks, ends, strict=True):
        body = text[mark.end() : end].strip()
        if not _WORDS.search(body):
            return []
        passage = Passage(text=body, id=str(_number(mark)), title=mark[3] or mark[4])
        found.append(Source(passage, "numbered_sources", Span(mark.start(), end)))
    return found


def _number(mark: re.Match[str]) -> int:
    return int(mark[1] or mark[2])


def _end_of_last(text: str, marks: list[re.Match[str]], ends: list[int]) -> int:
    """At a label such as ``Question:``; or at a blank line, unless the sources before have some inside too."""
    start = marks[-1].end()
    label = LABEL.search(text, start)
    end = len(text) if label is None else label.start()
    blank = text.find("\n\n", start, end)
    if blank < 0 or not text[start:blank].strip():
        return end
    several = any("\n\n" in text[mark.end() : at].strip() for mark, at in zip(marks, ends, strict=False))
    return end if several and label is not None else blank
