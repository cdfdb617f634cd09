"""Where a sentence says something without asserting it: each cue, and the stretch of the sentence that it governs."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from guardrail.text.facts.reserve_sheet import CLAUSES, LETTERS, PREDICATES, WORLD, Reserve
from guardrail.text.words import is_cjk
from guardrail.types import Span


class Cue(NamedTuple):
    """A reserve with the stretch that it governs: a clause, or a predicate whose subject stands before it."""

    key: str
    reserve: Reserve
    predicate: bool
    span: Span
    scope: Span


class _Pattern(NamedTuple):
    key: str
    reserve: Reserve
    predicate: bool
    letters: tuple[str, ...]
    find: re.Pattern[str]


def _patterns(sheet: tuple[tuple[str, Reserve, str], ...], default: str, *, predicate: bool) -> list[_Pattern]:
    return [
        _Pattern(
            key, reserve, predicate, tuple(LETTERS.get(key, default).split("|")), re.compile(re.sub(r"\n\s+", "", text))
        )
        for key, reserve, text in sheet
    ]


_PATTERNS = (
    *_patterns(PREDICATES, " to ", predicate=True),
    *_patterns(CLAUSES, "that |had |were |should ", predicate=False),
    *_patterns(tuple(row for row in WORLD if not is_cjk(row[0][0])), "", predicate=False),
)
_CHINESE = _patterns(tuple(row for row in WORLD if is_cjk(row[0][0])), "", predicate=False)
_YES_NO = re.compile(
    r"(?:[\s\"'“(>*•-]|q:|\d+\.)*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must)\b",
    re.IGNORECASE,
)
_BORDER = re.compile(
    r"[;:?—–()，。；！？：]| - |,(?=\s)|[.!](?=\s|$)|~~|</"
    r"|\b(?:but|while|whereas|although|though|because|since|unless|until)\b"
    r"|\b(?:and|or) (?:(?:has|have|had|is|was|were|are|will|did|does|so|then|he|she|it|they|we|i|now|who|which)\b"
    r"|\w+ed\b)",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def read_reserves(text: str) -> tuple[Cue, ...]:
    """The cues of a sentence, each with what it governs, in text order."""
    plain = text.replace("’", "'").lower()
    if len(plain) != len(text):  # a letter that is two in lower case would move all places
        plain = text
    found = [
        Cue(each.key, each.reserve, each.predicate, Span(*m.span()), Span(m.end(), _end(plain, m.end())))
        for each in (_PATTERNS if plain.isascii() else (*_PATTERNS, *_CHINESE))
        if any(some in plain for some in each.letters)
        for m in each.find.finditer(plain)
        if not (m.start() and text[m.start()] == "M" and each.reserve is Reserve.POSSIBLE)  # the month
    ]
    end = len(plain.rstrip(" \"')”"))
    if plain[end - 1 : end] == "?" and _YES_NO.match(plain):
        found.append(Cue("question", Reserve.ASKED, False, Span(end - 1, end), Span(0, end - 1)))
    return tuple(sorted(found, key=lambda cue: cue.span))


def _end(text: str, start: int) -> int:
    border = _BORDER.search(text, start)
    return border.start() if border else len(text)
