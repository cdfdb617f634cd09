"""The words of a text, and word overlap: which sentences could be evidence, and how much of a claim they cover.

Overlap never decides a verdict by itself; it ranks what the model reads first and is one feature of the scorer.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from guardrail.types import Span

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+(?:[.,'’](?=\w)[^\W_{_CJK}]+)*")
_PLACED = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff]|[\u3040-\u30ff]+|\d+(?:[.,:]\d+)*"
    r"|[^\W\d_](?:[^\W_\u3040-\u30ff\u3400-\u9fff]|[’'](?=[^\W\d_]))*"
)
_ANY = re.compile(r"[^\W_]")

STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being between both but by
    can could did do does doing down during each either even ever every few for from further had has have having he
    her here hers him his how however i if in into is it its itself just may me might more most must my neither no
    nor not of off on once one only or other our out over own per quite rather same shall she should since so some
    still such than that the their them then there therefore these they this those though through thus to too under
    until up upon very was we were what when where whether which while who whom whose why will with within without
    would yet you your
    的 了 是 在 和 与 及 也 都 而 就 并 或 其 这 那 有 为 被 把 对 从 到 于 之 以 所 他 她 它""".split()
)
_KEPT_CHARACTERS = 600  # sentences come up again and again, whole passages do not
_SUFFIXES = tuple("ations ation ingly edly ments ment ings ing ies ied ers er es ed ly s e".split())


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Strip one common English ending; enough to match "pays" with "paid by paying", not a linguistic stem."""
    word = word.removesuffix("'s").removesuffix("’s")
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word


def content_words(text: str) -> tuple[str, ...]:
    """Case-folded stems of the words that carry meaning, in order; CJK characters count as words."""
    return _kept_words(text) if len(text) <= _KEPT_CHARACTERS else _content_words(text)


@lru_cache(maxsize=8192)
def _kept_words(text: str) -> tuple[str, ...]:
    return _content_words(text)


def _content_words(text: str) -> tuple[str, ...]:
    words = (match.group().casefold() for match in _WORD.finditer(text))
    return tuple(stem(word) for word in words if word not in STOP_WORDS)


def placed_words(text: str) -> tuple[tuple[str, Span], ...]:
    """The same words, each with where it stands in the text."""
    found = ((match.group().casefold(), match.span()) for match in _WORD.finditer(text))
    return tuple((stem(word), Span(*place)) for word, place in found if word not in STOP_WORDS)


def has_words(text: str) -> bool:
    """Whether the text holds any letter or digit."""
    return _ANY.search(text) is not None


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
    """All words in order; each CJK character, each run of kana and each run of digits is one."""
    found = []
    for match in _PLACED.finditer(text):
        start, end = match.span()
        # A word of hundreds of letters is no word; keeping it out of the caches bounds their size.
        form, root = _forms(match.group() if end - start <= 60 else text[start : start + 60])
        found.append(Word(form, root, start, end))
    return tuple(found)


def is_cjk(character: str) -> bool:
    """Whether the character is a Chinese one."""
    return "\u3400" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff"


class Overlap:
    """Rare words weigh more: inverse document frequency over the given texts (usually all passage sentences).

    Sums are exact (fsum), for sets have another order in every process and ties must not depend on it.
    """

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        self._bags = [frozenset(words) for words in texts]
        counts = Counter(word for bag in self._bags for word in bag)
        total = max(len(self._bags), 1)
        self._idf = {word: math.log(1 + total / count) for word, count in counts.items()}
        self._unseen = math.log(1 + total)

    def weight(self, word: str) -> float:
        """Information of a word; a word that no text has weighs most."""
        return self._idf.get(word, self._unseen)

    def coverage(self, words: Iterable[str], texts: Iterable[int]) -> float:
        """Share (0..1, idf-weighted) of ``words`` that occur in the union of the numbered texts; 1.0 for no words."""
        wanted = set(words)
        if not wanted:
            return 1.0
        union: set[str] = set()
        for index in texts:
            union |= self._bags[index]
        total = math.fsum(self.weight(word) for word in wanted)
        return math.fsum(self.weight(word) for word in wanted & union) / total

    def rank(self, words: Iterable[str], among: Sequence[int], limit: int) -> tuple[int, ...]:
        """Up to ``limit`` text numbers, each chosen for the weight it adds to those before it; best first."""
        left = set(words)
        pool = list(among)
        chosen: list[int] = []
        while pool and len(chosen) < limit:
            gains = [math.fsum(self.weight(word) for word in left & self._bags[index]) for index in pool]
            best = max(range(len(pool)), key=gains.__getitem__)
            if gains[best] <= 0.0:
                break
            chosen.append(pool.pop(best))
            left -= self._bags[chosen[-1]]
        return tuple(chosen)
