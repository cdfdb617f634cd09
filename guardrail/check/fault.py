"""Which words of a segment are at fault: the stretch that the evidence words otherwise or not at all.

Every word gets a log-odds of being at fault, from how it aligns with the evidence; the stretch with the greatest sum
(Kadane) is marked. An invented sentence comes out whole, a swapped name as that name.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from guardrail.text.passages import sentences
from guardrail.text.words import Word, read_words
from guardrail.types import Span

LOGIC_WORDS = frozenset(
    """all although already always and any because before but can cannot could each earlier either enough entirely even
    every few fewer first if instead just last later least less mainly many may might more most must neither never no
    none nor not once only or same should since so sole solely some still than therefore though to too unless until
    whereas while will without would yet both after""".split()
)
"""Words without content of their own that a logical error consists in."""

QUANTITIES = frozenset("all any both each every everyone everything most never no none nobody only always".split())
"""Connectives whose error lies in what follows them, not in a relation of two clauses."""

_INVENTED = 0.4
"""Below this share of its content words in the evidence, a segment is at fault as a whole."""

_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*\s+(?=[^a-z])")
_CLAUSE_END = re.compile(r"[,;:—]\s|\s–\s")

MAX_WORDS = 120
"""Longer segments get no stretch, so the whole counts: aligning takes time that grows with the square."""


class Marks(NamedTuple):
    """What is known of one word of a segment; the numbers are 0..1. ``training/faults.py`` fits WEIGHTS on these."""

    bias: float
    foreign: float  # a content word that no evidence sentence has
    unknown: float  # nor any other passage
    idle: float  # neither content nor logic
    logic: float  # a logic word that no evidence sentence has
    number: float  # a foreign number
    moved: float  # a content word of the evidence that stands elsewhere there
    paired: float  # stands beside the same word as in the evidence
    density: float  # share of foreign and logic words among its neighbours, two to each side
    coverage: float  # share of the segment's content words that the evidence has


WEIGHTS = Marks(-2.54, 0.37, 1.25, 0.13, 0.74, 1.12, 0.35, -0.45, 1.18, 2.89)
"""As ``python -m training.faults DATA`` prints them."""


def find_fault(text: str, evidence: Sequence[str], known: Collection[str] = frozenset()) -> Span | None:
    """The stretch of a segment that is likeliest at fault, if the segment is not supported.

    Args:
        text: The segment.
        evidence: Sentences quoted for it.
        known: Stems (guardrail.text.words) of all passages; left out, those of the evidence.

    Returns:
        Offsets in ``text``, the whole of it where the evidence speaks of something else; None where nothing is quoted
        or the segment is too long to align (MAX_WORDS).
    """
    words = read_words(text)
    if not evidence or not words or len(words) > MAX_WORDS:
        return None
    marks = mark_words(words, evidence, known)
    if marks[0].coverage < _INVENTED:
        return Span(words[0].start, words[-1].end)
    odds = [sum(w * m for w, m in zip(WEIGHTS, of_word, strict=True)) for of_word in marks]
    first, last = best_stretch(odds)
    while first < last and _idle(words[first]):
        first += 1
    while first < last and _idle(words[last]):
        last -= 1
    return Span(words[first].start, words[last].end)


def relation_around(text: str, connective: Span) -> Span:
    """The clause or clauses that a connective ties: its sentence, or for a quantity the rest of its clause."""
    first = max((m.end() for m in _SENTENCE_END.finditer(text, 0, connective.start)), default=0)
    stop = _SENTENCE_END.search(text, connective.end)
    last = stop.start() if stop else len(text.rstrip(" .!?"))
    if connective.of(text).casefold() in QUANTITIES:
        first = connective.start
        stop = _CLAUSE_END.search(text, connective.end)
        last = min(last, stop.start()) if stop else last
    return Span(first, max(last, connective.end))


def known_stems(texts: Iterable[str]) -> frozenset[str]:
    """Stems of all content words of some texts."""
    return frozenset(word for text in texts for sentence in sentences(text) for word in sentence.words)


def mark_words(words: Sequence[Word], evidence: Iterable[str], known: Collection[str]) -> list[Marks]:
    """Marks of the words of a segment, in order."""
    read = [_cached_words(text) for text in evidence]
    forms = {w.form for sentence in read for w in sentence}
    stems = {w.stem for sentence in read for w in sentence}
    aligned, paired = _aligned(words, read)
    content = [bool(w.stem) or w.form[:1].isdigit() for w in words]
    found = [w.stem in stems if w.stem else w.form in forms for w in words]
    logic = [not c and not f and w.form in LOGIC_WORDS for w, c, f in zip(words, content, found, strict=True)]
    odd = [(c and not f) or new for c, f, new in zip(content, found, logic, strict=True)]
    coverage = sum(c and f for c, f in zip(content, found, strict=True)) / max(sum(content), 1)
    marks = []
    for n, word in enumerate(words):
        near = odd[max(0, n - 2) : n + 3]
        foreign = content[n] and not found[n]
        marks.append(
            Marks(
                bias=1.0,
                foreign=foreign,
                unknown=foreign and bool(known) and word.stem not in known,
                idle=_idle(word),
                logic=logic[n],
                number=foreign and not word.stem,
                moved=content[n] and found[n] and n not in aligned,
                paired=n in paired,
                density=sum(near) / len(near),
                coverage=coverage,
            )
        )
    return marks


def _idle(word: Word) -> bool:
    return not word.stem and not word.form[:1].isdigit() and word.form not in LOGIC_WORDS


@lru_cache(maxsize=1024)
def _cached_words(text: str) -> tuple[Word, ...]:
    return read_words(text)


def _aligned(words: Sequence[Word], sentences: Iterable[Sequence[Word]]) -> tuple[set[int], set[int]]:
    """Numbers of the words that stand in the same order in a sentence, and of those that do so beside another."""
    own = [w.stem or w.form for w in words]
    aligned: set[int] = set()
    paired: set[int] = set()
    for sentence in sentences:
        matcher = difflib.SequenceMatcher(None, own, [w.stem or w.form for w in sentence], autojunk=False)
        for first, _, size in matcher.get_matching_blocks():
            if size > 1:
                paired.update(range(first, first + size))
            if size > 1 or (size and words[first].stem):
                aligned.update(range(first, first + size))
    return aligned, paired


def best_stretch(odds: Sequence[float]) -> tuple[int, int]:
    """First and last number of the stretch with the greatest sum (Kadane's algorithm); the earliest of equals."""
    best, result, total, start = float("-inf"), (0, 0), 0.0, 0
    for n, value in enumerate(odds):
        if total <= 0.0:
            total, start = 0.0, n
        total += value
        if total > best:
            best, result = total, (start, n)
    return result
