"""Passages cut into windows by the chunking rules of the models, and into halves where even those do not fit.

Sentences are those of ``guardrail.engines.local.windows`` (the authors split with NLTK), so evidence is a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from guardrail.engines.local.passage_index import Library
from guardrail.errors import EngineError
from guardrail.text.passages import titled
from guardrail.types import Span


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of passage number ``passage``; ``parts`` number its sentences among those of all passages."""

    passage: int
    parts: tuple[int, ...]
    text: str


Cut = Callable[[Sequence[str]], list[range]]
"""A chunking rule: the sentences of a passage to ranges of them."""

T = TypeVar("T")

_TOKEN = re.compile(r"\w+|[^\w\s]")


def words(text: str) -> int:
    """Words between white space."""
    return len(text.split())


def words_and_marks(text: str) -> int:
    """Words and punctuation marks, much as a Treebank tokenizer counts."""
    return len(_TOKEN.findall(text))


def filled(texts: Sequence[str], measure: Callable[[str], int], size: int) -> list[range]:
    """Ranges of consecutive sentences of at most ``size`` together; a longer sentence stands alone."""
    found: list[range] = []
    first = total = 0
    for number, text in enumerate(texts):
        length = measure(text)
        if number > first and total + length > size:
            found.append(range(first, number))
            first, total = number, 0
        total += length
    return [*found, range(first, len(texts))] if texts else found


def even(texts: Sequence[str], size: int) -> list[range]:
    """Ranges of equally many sentences, about ``size`` words each (AlignScore's rule)."""
    chunks = sum(map(words, texts)) // size + 1
    step = max(len(texts) // chunks, 1)
    return [range(start, min(start + step, len(texts))) for start in range(0, len(texts), step)]


def windows(library: Library, number: int, cut: Cut, joiner: str | None) -> list[Window]:
    """Windows of one passage; none where it has no text.

    Args:
        library: All passages.
        number: Which of them.
        cut: The chunking rule.
        joiner: What stands between two sentences; None = what stands there in the passage.
    """
    own = [i for i, owner in enumerate(library.owner) if owner == number]
    found = []
    for chunk in cut([library.sentences[i].text for i in own]):
        parts = tuple(own[i] for i in chunk)
        found.append(
            Window(number, parts, titled(library.passages[number].title, _joined(library, number, parts, joiner)))
        )
    return found


def halves(library: Library, window: Window, joiner: str | None) -> list[Window]:
    """The window in two; a window of one sentence is cut between words, else between characters."""
    passage = library.passages[window.passage]
    if len(window.parts) > 1:
        middle = len(window.parts) // 2
        pieces = (window.parts[:middle], window.parts[middle:])
        return [
            Window(window.passage, parts, titled(passage.title, _joined(library, window.passage, parts, joiner)))
            for parts in pieces
        ]
    return [Window(window.passage, window.parts, span.of(window.text)) for span in cut_in_two(window.text)]


def fitted(
    library: Library, cut: Sequence[Window], joiner: str | None, encode: Callable[[Window], T | None], refusal: str
) -> Iterator[tuple[Window, T]]:
    """The windows as encoded, those that do not fit (None) in halves of halves until they do.

    Raises:
        EngineError: says ``refusal``, where not even a character fits.
    """
    left = list(reversed(cut))
    while left:
        window = left.pop()
        encoded = encode(window)
        if encoded is not None:
            yield window, encoded
            continue
        smaller = halves(library, window, joiner)
        if len(smaller) < 2:
            raise EngineError(refusal)
        left.extend(reversed(smaller))


def cut_in_two(text: str) -> tuple[Span, ...]:
    """Both halves of a text, cut at the space nearest to its middle; one span where it cannot be cut."""
    middle = len(text) // 2
    left, right = text.rfind(" ", 1, middle + 1), text.find(" ", middle, len(text) - 1)
    at = min((i for i in (left, right) if i > 0), key=lambda i: abs(i - middle), default=middle)
    return (Span(0, at), Span(at, len(text))) if 0 < at < len(text) else (Span(0, len(text)),)


def pieces(text: str, fits: Callable[[str], bool]) -> list[Span]:
    """The text in pieces that fit, so that no end of it goes unread."""
    found: list[Span] = []
    left = [Span(0, len(text))]
    while left:
        span = left.pop()
        parts = cut_in_two(span.of(text)) if not fits(span.of(text)) else ()
        if len(parts) < 2:
            found.append(span)
        else:
            left.extend(Span(span.start + p.start, span.start + p.end) for p in reversed(parts))
    return found


def _joined(library: Library, number: int, parts: Sequence[int], joiner: str | None) -> str:
    sentences = [library.sentences[i] for i in parts]
    if joiner is not None:
        return joiner.join(sentence.text for sentence in sentences)
    return library.passages[number].text[sentences[0].span.start : sentences[-1].span.end]
