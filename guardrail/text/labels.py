"""Labels before a text that say which answer or source it is ("Response 1:"), and claim nothing."""

from __future__ import annotations

import re

_ANSWER = r"(?:final\s)?(?:answer|response|reply)|question|回答|答案|答复|问题"
_SOURCE = r"source|passage|document|doc|context|chunk|excerpt|snippet|来源|资料|文档|段落"
_NUMBER = r"\s?#?\d{1,3}"
_BOLD = r"[*_]{0,3}"
LABEL = rf"(?i:{_BOLD}(?:(?:{_ANSWER})(?:{_NUMBER})?|(?:{_SOURCE}){_NUMBER})\s?{_BOLD}[:：]{_BOLD}\s*)"
"""Such a label with its emphasis, as a pattern; a source needs a number: "Source:" says where a text is from."""

_LABEL = re.compile(LABEL)
_EMPHASIS = re.compile(r"[*_]+")


def label_end(raw: str) -> int:
    """Where the text behind a label starts; 0 without a label, or where emphasis runs on behind it."""
    found = _LABEL.match(raw)
    marks = _EMPHASIS.findall(found[0]) if found else []
    return found.end() if found and marks[:1] == marks[1:] else 0


def without_label(text: str) -> str:
    """A plain text without the label before it; the label itself where nothing follows."""
    found = _LABEL.match(text)
    return text[found.end() :] or text if found else text


def is_label(text: str) -> bool:
    """Whether a plain text is nothing but a label."""
    return _LABEL.fullmatch(text) is not None
