"""What a question says of the reader's own case: no document has it, and none need have it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from guardrail.engines.llm.verbatim import EDGES, SearchedText, long_enough
from guardrail.engines.llm.workings import both_ways, numbers_in
from guardrail.text.facts import extract, stated_in
from guardrail.text.facts.fact import Amount, Facts
from guardrail.text.words import content_words

_FIGURES = re.compile(r"\d+(?:[.,:]\d+)*")
_ASKED = 0.5
"""Share of a claim's content words that the question has where the claim says the question's case again."""

_WORKED_OUT = 0.2
"""The same where a value of the claim is worked out from the question."""

_QUOTED = 2
"""Words and figures that a quote of the question has at least."""

_NAMES_QUESTION = re.compile(r"\bquestion\b|\bFrage\b|\bpregunta\b|问题|提问|题[中目]|質問", re.IGNORECASE)
_PARTS = re.compile(
    r"[:：](?!\d)|[=;；()（）、]|,\s|,?\s?\bfrom the question\b|\bquestion\b|问题|提问|题[中目]|質問", re.IGNORECASE
)
"""What parts the words that a note quotes of the question from the rest."""
_MARKS = EDGES + "“”„‘’「」"


class Question:
    """A question, and what it states; what it asks yes or no of, it does not say.

    Args:
        text: "" if it is not known.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def facts(self) -> Facts:
        """Its values and names."""
        return extract(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its content words."""
        return frozenset(content_words(self.text))

    @cached_property
    def _stated(self) -> str:
        return stated_in(self.text)

    @cached_property
    def _searched(self) -> SearchedText:
        return SearchedText(self._stated)

    def is_quoted(self, notes: Iterable[str]) -> bool:
        """Whether a note of the judge names the question and has words of it: "from the question: bought last year".

        One word alone is found in many a note.
        """
        parts = (part.strip(_MARKS) for note in notes if _NAMES_QUESTION.search(note) for part in _PARTS.split(note))
        return any(len(words_and_figures(p)) >= _QUOTED and self._searched.locate(p) for p in parts if p)

    def has_of(self, value: str, links: Iterable[tuple[str, str]]) -> bool:
        """Whether a link quotes the question for a value whose figures it has: "the boy of 11 = two of 3 and 11".

        Not where the question has the figure with a unit: that is another thing.
        """
        figures = numbers_in(value)
        units = {f.value.raw for f in self.facts.counted if isinstance(f.value, Amount) and f.value.unit}
        named = re.compile(rf"(?<![\d.,]){re.escape(value)}", re.IGNORECASE)
        quotes = (other for one, other in both_ways(links) if named.search(one) and _NAMES_QUESTION.search(other))
        parts = (part.strip(_MARKS) for quote in quotes for part in _PARTS.split(quote))
        told = (p for p in parts if p and len(words_and_figures(p)) >= _QUOTED and self._searched.locate(p))
        return bool(figures) and not figures & units and any(figures <= numbers_in(part) for part in told)

    def says(self, claim: str, links: Sequence[tuple[str, str]], *, worked_out: bool) -> bool:
        """Whether it states half of a claim's content words; a fifth, where a value is worked out from it alone.

        Some of the words the judge may link to words of the question.
        """
        own = set(content_words(claim))
        known = set(content_words(self._stated))
        linked: set[str] = set()
        for one, other in both_ways(links):
            theirs = words_and_figures(other) - {"question"}
            if theirs and theirs <= self.words and long_enough(other):
                linked |= words_and_figures(one) & own
        shared = len(own & known) + min(len(linked - known), len(own) // 2)
        return shared >= (_WORKED_OUT if worked_out else _ASKED) * len(own)


def words_and_figures(text: str) -> set[str]:
    """Content words and figures."""
    return {*content_words(text), *_FIGURES.findall(text)}
