"""The sentences of a corpus with their places, and answers written around one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from guardrail.evaluation.stress.change import Change
from guardrail.evaluation.stress.rewording import LEADS
from guardrail.evaluation.stress.sentences import fit, is_chinese, right_versions
from guardrail.text.sentences import split_sentences
from guardrail.text.words import content_words
from guardrail.types import Passage, Span

_LINE = re.compile(r"[^\n]+")
_NEAR = 0.5
"""Share of the answer's words from which on another passage may be about the same matter, and could bear it out."""
MAX_CONTEXT = 3
_POINTS_BACK = re.compile(
    r"(?:It|Its|They|Their|Them|He|His|She|Her|This|That|These|Those|Both|Neither|"
    r"Such|Another|Others?|One|Two of|Some of|"
    r"Most of|All of|None|However|But|And|So|Then|Therefore|Thus|Still|Yet|Instead|"
    r"Otherwise|Afterwards|Later|There|Here|"
    r"The (?:former|latter|same|other|second|rest|two)|Also|Only|Each|Half|Eight|"
    r"Three|Four|Five|Six|Ten|Even|Until then|"
    r"Since then|After that|Before that|At that|In that|By then|Unlike)\b|"
    r"[他她它其此该这那]|两者|二者|前者|后者|因此|但|不过|然而|所以|"
    r"随后|之后|此后|后来|同时|另|其中|而|也|又|还|则|再|其他|其余|问|答",
)
_POINTS_ANYWHERE = re.compile(
    r"\b(?:its?|they|their|them|he|his|him|she|her|this|these|those|both|the "
    r"(?:former|latter|other|second|first))\b|[他她它其此该]",
    re.IGNORECASE,
)


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


@dataclass(frozen=True, slots=True)
class Written:
    """An answer, its wrong stretches, and the passage's stretches that it rests on."""

    answer: str
    wrong: tuple[Span, ...]
    evidence: tuple[Span, ...]
    passage: int
    lang: str


def compose(
    corpus: Corpus, place: Place, rng: Random, *, change: Change | None = None, text: str | None = None
) -> Written | None:
    """Write an answer with one changed sentence, or with ``text`` in its place.

    The sentences around it are copied or reworded. None where the answer would begin with a word that points back at
    a sentence before it.
    """
    sentences = corpus.sentences[place.passage]
    shown = change.text if change is not None else text or place.text
    first = last = place.index
    wanted = rng.choice((0, 0, 1, 1, 2, 3))
    while first > 0 and (
        (last - first < wanted and rng.random() < 0.6) or _POINTS_BACK.match(_shown(sentences, first, place, shown))
    ):
        first -= 1
    rebuilt = change is not None and any(span.end - span.start >= len(change.text) for span in change.spans)
    while last + 1 < len(sentences) and last - first < wanted:
        if (rebuilt or change is None) and _POINTS_ANYWHERE.search(sentences[last + 1].text):
            break  # its "they" may point at what is no longer there
        last += 1
    block = sentences[first : last + 1]
    if last - first > MAX_CONTEXT or _POINTS_BACK.match(_shown(sentences, first, place, shown)):
        return None
    if any(p.lang != place.lang or not fit(p.text) for p in block):
        return None
    return _joined(corpus, block, place, shown, change, rng)


def _shown(sentences: tuple[Place, ...], index: int, place: Place, shown: str) -> str:
    return shown if index == place.index else sentences[index].text


def _joined(
    corpus: Corpus, block: tuple[Place, ...], place: Place, shown: str, change: Change | None, rng: Random
) -> Written:
    answer, wrong = "", []
    gap = "" if place.lang == "zh" else " "
    for one in block:
        if answer:
            answer += gap
        if one.index == place.index:
            start = len(answer)
            wrong = [Span(start + span.start, start + span.end) for span in change.spans] if change else []
            answer += shown
        else:
            answer += _copied_or_reworded(corpus, one, rng)
    evidence = (place.span,) if change is not None else tuple(one.span for one in block)
    return Written(answer, tuple(wrong), evidence, place.passage, place.lang)


def _copied_or_reworded(corpus: Corpus, one: Place, rng: Random) -> str:
    if rng.random() < 0.5:
        return one.text
    versions = [
        version
        for version in right_versions(one.text, rng, others=corpus.others(one))
        if len(version) >= 0.8 * len(one.text) and not version.startswith(LEADS)
    ]
    return rng.choice(versions) if versions else one.text
