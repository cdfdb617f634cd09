"""How much of a claim each sentence of the evidence says, by its content words; rare ones weigh more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from guardrail.text.facts.fact import Facts


class Coverage:
    """Shares (0..1) of the wanted stems that each sentence has.

    Args:
        wanted: Content stems of the claim.
        sentences: Those of the evidence.
    """

    def __init__(self, wanted: AbstractSet[str], sentences: Sequence[Facts]) -> None:
        counts = Counter(stem for sentence in sentences for stem in sentence.bag)
        rarity = {stem: math.log((len(sentences) + 1) / (counts[stem] + 0.5)) for stem in sorted(wanted)}
        whole = math.fsum(rarity.values())
        self.shares = [
            math.fsum(rarity[stem] for stem in wanted & sentence.bag) / whole if whole > 0 else 0.0
            for sentence in sentences
        ]
