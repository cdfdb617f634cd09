"""Words that are looked up in a text as they stand, but for what copying changes."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from functools import cached_property

from guardrail.types import Span

_SAME = {**dict.fromkeys("‘’‚‛′`´", "'"), **dict.fromkeys("“”„‟″«»", '"'), **dict.fromkeys("‐‑‒–—―−", "-"), "|": " "}
_DROPPED = "*\u00ad\u200b\u200c\u200d\u2060\ufeff"  # emphasis marks and characters without width
ELLIPSIS = re.compile(r"\.{3,}|…+|\[\.\.\.\]|\(\.\.\.\)")
EDGES = " \t\r\n\"'.,;:，。；：、"
_LETTERS = re.compile(r"[a-z0-9]{2}", re.IGNORECASE)
_UNITS = "%€$£¥°"
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


class SearchedText:
    """A text in which quotes are looked up.

    Case, typographic quotes, dashes, line ends, borders of table cells and emphasis marks may differ.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _plain(self) -> tuple[str, list[int]]:
        return as_compared(self._text)

    def locate(self, quote: str) -> tuple[Span, ...]:
        """Where it says these words: one span, or one per part around an ellipsis; () if it does not."""
        parts = [part for part in ELLIPSIS.split(quote) if part.strip(EDGES)]
        if not parts:
            return ()
        found = []
        start = 0
        for part in parts:
            span = self._find(part, start)
            if span is None:
                return ()
            found.append(span)
            start = span.end
        return tuple(found)

    def _find(self, part: str, start: int) -> Span | None:
        wanted = part.strip()
        if long_enough(wanted) and (at := search(self._text, wanted, start)) is not None:
            return Span(at, at + len(wanted))
        plain, where = self._plain
        needle = as_compared(wanted)[0].strip(EDGES)
        if not long_enough(needle):
            return None
        found = search(plain, needle, bisect_left(where, start))
        return None if found is None else Span(where[found], where[found + len(needle) - 1] + 1)


def search(text: str, words: str, start: int) -> int | None:
    """Where the words stand as whole words."""
    while (at := text.find(words, start)) >= 0:
        end = at + len(words)
        if not (_inside(text, at) or _inside(text, end)):
            return at
        start = at + 1
    return None


def _inside(text: str, border: int) -> bool:
    return 0 < border < len(text) and _LETTERS.fullmatch(text, border - 1, border + 1) is not None


def long_enough(words: str) -> bool:
    """A quote of a letter or two is found anywhere and shows nothing."""
    letters = sum(map(str.isalnum, words))
    return len(_CJK.findall(words)) >= 2 or (letters > 0 and letters + sum(c in _UNITS for c in words) >= 3)


def as_compared(text: str) -> tuple[str, list[int]]:
    """The text as quotes are compared, and for each character of it the offset that it comes from."""
    characters: list[str] = []
    where: list[int] = []
    for offset, character in enumerate(text):
        if character in _DROPPED:
            continue
        for each in unicodedata.normalize("NFKC", character).casefold():
            same = " " if each.isspace() else _SAME.get(each, each)
            if same == " " and characters[-1:] == [" "]:
                continue
            characters.append(same)
            where.append(offset)
    return "".join(characters), where
