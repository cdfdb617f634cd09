"""The words of a text with their places: what the fact readers walk over and what sentences are aligned by."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from guardrail.text.words import STOP_WORDS, stem

_WORD = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|\d+(?:[.,:]\d+)*|[^\W\d_](?:[^\W_\u3400-\u9fff]|[’'](?=[^\W\d_]))*")
_CJK_START = "\u3400"


class Word(NamedTuple):
    """``form``: case-folded, without diacritics and possessive; ``stem`` is empty for words without content."""

    form: str
    stem: str
    start: int
    end: int


@lru_cache(maxsize=65_536)
def _forms(surface: str) -> tuple[str, str]:
    form = surface.replace("’", "'").casefold()
    if not form.isascii():
        form = "".join(c for c in unicodedata.normalize("NFKD", form) if not unicodedata.combining(c))
    form = form.removesuffix("'s")
    if form in STOP_WORDS or form[:1].isdigit():
        return form, ""
    return form, stem(form)


def read_words(text: str) -> tuple[Word, ...]:
    """All words in order; each CJK character and each run of digits is one."""
    found = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        # A word of hundreds of letters is no word; keeping it out of the caches bounds their size.
        form, root = _forms(match.group() if end - start <= 60 else text[start : start + 60])
        found.append(Word(form, root, start, end))
    return tuple(found)


def is_cjk(character: str) -> bool:
    """Whether the character is a Chinese one."""
    return "\u3400" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff"
