"""Sentence boundaries inside a run of text."""

from __future__ import annotations

import re

import sentencex

from guardrail.text.language import language
from guardrail.text.words import has_words
from guardrail.types import Span

_CHUNK = 2000  # the segmenter is quadratic in open quotes, so it never sees more than this many characters at once
_CUT = re.compile(r"[.!?][\"')\]]?\s|[。！？]")
_MARKER_ONLY = re.compile(r"\s*[(（]?(?:\d{1,3}|[a-z])[.)、）]\s*$")
_BEFORE_DATE = r"\b(?:am|zum|vom|bis|ab|dem|den|der|des|seit|und|oder|nach|vor|zwischen|einschließlich|spätestens)\s"
_DAY_ENDS = re.compile(r"(?<![\w.,])(?:[12]?[0-9]|3[01])\.\s$")
_GERMAN_DAY_ENDS = re.compile(rf"{_BEFORE_DATE}(?:[12]?[0-9]|3[01])\.\s$", re.IGNORECASE)
_DATE_ENDS = re.compile(rf"{_BEFORE_DATE}(?:[12]?[0-9]|3[01])\.\s?(?:1[0-2]|0?[1-9])\.\s$", re.IGNORECASE)
_GERMAN_MONTH = re.compile(
    r"(?:Januar|Jänner|Februar|März|Mai|Juni|Juli|Oktober|Dezember|(?P<shared>April|August|September|November))\b"
    r"(?P<year>\s(?:19|20)[0-9]{2}\b)?"
)
_GOES_ON = re.compile(
    r"(?:um|bis|und|oder|bei|zu[mr]?|vor|nach|ist|sind|ab|auf|mit|von|vom|in|im|an|beim|aus|fällig|möglich)\b"
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def _chunks(text: str) -> list[Span]:
    """Cut at the last sentence end, else at the last space, before each limit."""
    spans, at = [], 0
    while len(text) - at > _CHUNK:
        cut = 0
        for found in _CUT.finditer(text, at + _CHUNK // 2, at + _CHUNK):
            cut = found.end()
        cut = cut or text.rfind(" ", at + 1, at + _CHUNK) + 1 or at + _CHUNK
        spans.append(Span(at, cut))
        at = cut
    spans.append(Span(at, len(text)))
    return spans


def _pieces(text: str, lang: str) -> list[str]:
    clean = _SURROGATE.sub("\ufffd", text)  # the library fails on lone ones; as long, so lengths still hold
    found: list[str] = list(sentencex.segment(lang, clean))
    # The library normalises some odd whitespace; then its offsets mean nothing.
    return found if "".join(found) == clean else [text]


def goes_on(before: str, piece: str) -> bool:
    """Whether a piece goes on after a German date: "zum 1. | Oktober", "am 28.7. | um 15 Uhr"."""
    before = before[-32:]
    if month := _GERMAN_MONTH.match(piece):
        sure = month["year"] and not month["shared"]
        return (_DAY_ENDS if sure else _GERMAN_DAY_ENDS).search(before) is not None
    return _GOES_ON.match(piece) is not None and _DATE_ENDS.search(before) is not None


def split_sentences(run: str) -> list[Span]:
    """Sentences of ``run``, as spans that cover it without gaps. Line breaks in it must be spaces already.

    Mends what the segmenter gets wrong for answers: a list marker joins the sentence that it numbers, a piece without
    words (an emoji, a closing quote) joins the sentence before it, and a German date stays whole ("zum 1. Oktober").
    """
    lang = language(run)
    spans: list[Span] = []
    marker: int | None = None  # start of a marker that waits for its sentence
    for chunk in _chunks(run):
        at = chunk.start
        for piece in _pieces(chunk.of(run), lang):
            start, at = at, at + len(piece)
            if _MARKER_ONLY.match(piece):
                marker = start if marker is None else marker
            elif spans and marker is None and (not has_words(piece) or goes_on(spans[-1].of(run), piece)):
                spans[-1] = Span(spans[-1].start, at)
            else:
                spans.append(Span(start if marker is None else marker, at))
                marker = None
    if marker is not None:
        if spans:
            spans[-1] = Span(spans[-1].start, len(run))
        else:
            spans.append(Span(marker, len(run)))
    return spans
