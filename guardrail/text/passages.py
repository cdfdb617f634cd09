"""Passages cut into sentences and windows: what the model reads, and where evidence spans come from.

Table rows, JSON objects, list items and the sentences of a conversation are read as the statements that
guardrail.text.records makes of them; their span is that of the source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sentencex import segment

from guardrail.text.facts import Facts, extract
from guardrail.text.records import statements
from guardrail.text.sentences import goes_on
from guardrail.text.words import content_words
from guardrail.types import Passage, Span

WINDOW_WORDS = 170
"""Words a window may hold; with a claim of 30 words it stays inside the 320 tokens that training used."""

_KEPT_CHARACTERS = 4_000
"""Longer passages are cut anew each time, so that the cache stays under 100 MB."""

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_WORDLIKE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|\S+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage: where it stands, what is read of it, its content words and its number of words.

    ``cells`` and ``table`` are those of the statement (guardrail.text.records) if it is a row; ``spoken`` is what a
    sentence of a conversation says word for word, "" for all others.
    """

    span: Span
    text: str
    words: tuple[str, ...]
    length: int
    cells: tuple[tuple[str, str], ...] = ()
    table: int = -1
    spoken: str = ""

    @property
    def facts(self) -> Facts:
        """Hard facts, extracted when first asked for: most sentences are never evidence."""
        return extract(self.text)

    @property
    def all_facts(self) -> tuple[Facts, ...]:
        """Those of what is read and of what is spoken: a quotation is word for word."""
        return (self.facts, extract(self.spoken)) if self.spoken else (self.facts,)


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive sentences ``first`` to ``last`` (inclusive) of passage number ``passage``."""

    passage: int
    first: int
    last: int


def sentences(text: str) -> tuple[Sentence, ...]:
    """Sentences of a passage in order; overlong ones (tables, code, no punctuation) are cut at word borders."""
    return _kept_sentences(text) if len(text) <= _KEPT_CHARACTERS else _sentences(text)


@lru_cache(maxsize=512)
def _kept_sentences(text: str) -> tuple[Sentence, ...]:
    return _sentences(text)


def _sentences(text: str) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    language = "zh" if len(_WIDE.findall(text[:2000])) > len(text[:2000]) // 5 else "en"
    at = 0
    for statement in statements(text):
        length = len(_WORDLIKE.findall(statement.text))
        if length > WINDOW_WORDS:  # no window could hold it
            continue
        found.extend(_prose(text, at, statement.span.start, language))
        words = content_words(statement.text)
        spoken = statement.span.of(text) if statement.spoken else ""
        found.append(Sentence(statement.span, statement.text, words, length, statement.cells, statement.table, spoken))
        at = statement.span.end
    found.extend(_prose(text, at, len(text), language))
    return tuple(found)


def _prose(text: str, start: int, end: int, language: str) -> list[Sentence]:
    found: list[Sentence] = []
    for line in text[start:end].splitlines(keepends=True):
        clean = _SURROGATE.sub("\ufffd", line)
        position = start
        spans: list[Span] = []
        for piece in segment(language, clean):
            span = Span(position, position + len(piece))
            position = span.end
            if spans and goes_on(spans[-1].of(text), piece):
                spans[-1] = Span(spans[-1].start, span.end)
            else:
                spans.append(span)
        for span in spans:
            found.extend(_pieces(text, span.start, span.end))
        start += len(line)
    return found


def _pieces(text: str, start: int, end: int) -> list[Sentence]:
    words = [match.span() for match in _WORDLIKE.finditer(text, start, end)]
    pieces = []
    for first in range(0, len(words), WINDOW_WORDS):
        chunk = words[first : first + WINDOW_WORDS]
        span = Span(chunk[0][0], chunk[-1][1])
        piece = span.of(text)
        pieces.append(Sentence(span, piece, content_words(piece), len(chunk)))
    return pieces


def around(text: str, span: Span, before: int = 0) -> str:
    """The sentences of a passage that a span touches, with so many before them."""
    parts = [sentence.span for sentence in sentences(text)]
    touched = [n for n, part in enumerate(parts) if part.start < span.end and span.start < part.end]
    if not touched:
        return span.of(text)
    return text[parts[max(0, touched[0] - before)].start : parts[touched[-1]].end]


def windows(number: int, passage: Passage) -> list[Window]:
    """Windows of at most WINDOW_WORDS words over the passage; neighbours share one sentence."""
    parts = sentences(passage.text)
    found: list[Window] = []
    first = 0
    while first < len(parts):
        last, words = first, parts[first].length
        while last + 1 < len(parts) and words + parts[last + 1].length <= WINDOW_WORDS:
            last += 1
            words += parts[last].length
        found.append(Window(number, first, last))
        if last + 1 >= len(parts):
            break
        first = last if last > first else last + 1
    return found


def titled(title: str | None, text: str) -> str:
    """The text with the title before it, unless the text opens with it: pronouns in a passage refer to its title."""
    if not title or text[: len(title) + 20].find(title) >= 0:
        return text
    return f"{title}: {text}"
