"""Evidence that is located, not quoted: the papers' prompts of D-FActScore and RefChecker ask for no quotes.

What they say stands only where the passage speaks of the claim at all and gives the judge no orders, and what they call
true only where some passage has its numbers and names. That is less than a quote: these plans reproduce tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from guardrail.check.contract import VerifyRequest
from guardrail.engines.llm.quotes import Documents
from guardrail.engines.local.evidence import choose_evidence
from guardrail.engines.local.passage_index import Library
from guardrail.text.words import content_words
from guardrail.types import Span

_SENTENCES = 2


class Locator:
    """The passages of one request, indexed once; finds by weight of words the sentences that speak of a claim."""

    def __init__(self, request: VerifyRequest) -> None:
        passages = request.passages
        self._library = Library(passages)
        self._documents = Documents(passages, (request.question or "", *(s.text for s in request.segments)))
        self._own: list[list[int]] = [[] for _ in passages]
        for index, owner in enumerate(self._library.owner):
            self._own[owner].append(index)
        self._ordering = set(filter(self._documents.ordering, range(len(passages))))
        self._lacks = cache(self._documents.lacks)

    def locate(self, claim: str, number: int, *, against: bool = False) -> tuple[Span, ...]:
        """Sentences of passage ``number`` that a verdict for or against the claim can rest on; () if there are none."""
        if number in self._ordering or not self._own[number] or not (against or self._lacks(claim) is None):
            return ()
        chosen = choose_evidence(self._library, content_words(claim), self._own[number], _SENTENCES)
        spans = [self._library.sentences[index].span for index in chosen or self._own[number][:1]]
        return tuple(spans) if self._documents.bears(claim, [(number, span) for span in spans]) else ()

    def best(self, claim: str, numbers: Sequence[int]) -> tuple[int, tuple[Span, ...]] | None:
        """Of several passages read together, the one that holds most of the claim, with its sentences; or None."""
        if self._ordering.intersection(numbers):
            return None  # the orders were in the prompt, whatever else was
        words = content_words(claim)
        found = [(number, spans) for number in numbers if (spans := self.locate(claim, number))]

        def held(item: tuple[int, tuple[Span, ...]]) -> float:
            return self._library.overlap.coverage(words, self._own[item[0]])

        return max(found, key=held, default=None)
