"""Which sentences are quoted as evidence: few, each of them needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum

from guardrail.engines.local.passage_index import Library

_GAIN = 0.05
"""Share of the segment's weight that a further sentence must add."""

_NEEDED, _NEEDED_ELSEWHERE = 0.35, 0.55
"""What a further sentence must reach, of a passage already quoted and of another; see ``choose_evidence``."""


def choose_evidence(library: Library, words: Iterable[str], among: Sequence[int], limit: int = 3) -> tuple[int, ...]:
    """Numbers of the sentences to quote for a segment with these content words, in order.

    The first is the one that holds most of the segment, by weight of its words. A further one must add words, and
    must speak of the segment: the share of the segment that it holds plus the share of the sentence that its new words
    make up reaches a bound, which is higher for a passage not yet quoted. The bounds are those that pick the labelled
    sentences of the written training records best (``benchmarks/localization.py --written``).

    Args:
        library: The passages.
        words: Content words of the segment.
        among: Sentences to choose from.
        limit: Sentences at most.
    """
    weight = library.overlap.weight
    wanted = set(words)
    total = fsum(map(weight, wanted)) or 1.0
    left = set(wanted)
    chosen: list[int] = []
    for number in library.overlap.rank(wanted, among, limit):
        own = set(library.sentences[number].words)
        gain = fsum(map(weight, left & own))
        if chosen:
            quoted = any(library.owner[number] == library.owner[other] for other in chosen)
            speaks = fsum(map(weight, wanted & own)) / total + gain / (fsum(map(weight, own)) or 1.0)
            if gain < _GAIN * total or speaks < (_NEEDED if quoted else _NEEDED_ELSEWHERE):
                break
        chosen.append(number)
        left -= own
    return tuple(sorted(chosen))
