"""The sentences of a corpus with their places, and which passages stand beside an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from guardrail.evaluation.stress.sentences import fit, is_chinese
from guardrail.text.sentences import split_sentences
from guardrail.text.words import content_words
from guardrail.types import Passage, Span

_LINE = re.compile(r"[^\n]+")
_NEAR = 0.5
"""Share of the answer's words from which on another passage may be about the same matter, and could bear it out."""


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence: ``corpus.passages[passage].text[span.start:span.end] == text``; ``index`` counts in its passage."""

    passage: int
    index: int
    span: Span
    text: str
    lang: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """All passages, all their sentences in order, and the numbers of those that rules may use."""

    passages: tuple[Passage, ...]
    sentences: tuple[tuple[Place, ...], ...]
    words: tuple[frozenset[str], ...]
    langs: tuple[str, ...]

    @property
    def places(self) -> tuple[Place, ...]:
        """Plain statements in the wanted languages."""
        return tuple(p for of in self.sentences for p in of if p.lang in self.langs and fit(p.text))

    def others(self, place: Place) -> tuple[str, ...]:
        """The other sentences of the same passage."""
        return tuple(p.text for p in self.sentences[place.passage] if p.index != place.index)

    def beside(self, passage: int, answer: str, rng: Random) -> tuple[int, tuple[Passage, ...]]:
        """The passage among up to two others that are about other things: its number there, and all of them."""
        wanted = frozenset(content_words(answer))
        free: list[int] = []
        for _ in range(rng.choice((0, 1, 2, 2))):
            number = rng.randrange(len(self.passages))
            near = len(wanted & self.words[number]) >= _NEAR * max(len(wanted), 1)
            if number != passage and number not in free and not near:
                free.append(number)
        numbers = [*free, passage]
        rng.shuffle(numbers)
        return numbers.index(passage), tuple(self.passages[number] for number in numbers)


def read_corpus(passages: Sequence[Passage], langs: Sequence[str] = ("en", "zh")) -> Corpus:
    """Cut all passages into sentences; a line break ends a sentence."""
    return Corpus(
        passages=tuple(passages),
        sentences=tuple(tuple(_places(number, passage.text)) for number, passage in enumerate(passages)),
        words=tuple(frozenset(content_words(passage.text)) for passage in passages),
        langs=tuple(langs),
    )


def _places(number: int, text: str) -> list[Place]:
    found: list[Place] = []
    for line in _LINE.finditer(text):
        for piece in split_sentences(line[0]):
            raw = piece.of(line[0])
            bare = raw.strip()
            if not bare:
                continue
            start = line.start() + piece.start + raw.index(bare)
            lang = "zh" if is_chinese(bare) else "en"
            found.append(Place(number, len(found), Span(start, start + len(bare)), bare, lang))
    return found
