"""The baseline that every result stands beside: how much of an answer's wording the passages hold."""

from __future__ import annotations

from functools import lru_cache

from guardrail.evaluation.labelled import LabelledAnswer
from guardrail.text.words import Overlap, content_words
from guardrail.types import Passage


def covered(answer: LabelledAnswer) -> float:
    """Share (0..1) of the answer's content words, rare ones weighing more, that occur in any passage or its title."""
    bags = [_words(passage) for passage in answer.passages]
    return Overlap(bags).coverage(content_words(answer.answer), range(len(bags)))


@lru_cache(maxsize=1024)
def _words(passage: Passage) -> tuple[str, ...]:
    """Distinct content words of a passage; many answers of a data set share their passages."""
    return tuple(dict.fromkeys(content_words(f"{passage.title or ''} {passage.text}")))
