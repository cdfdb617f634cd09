"""All versions of one sentence that the stress rules make over several draws."""

from __future__ import annotations

import random

from guardrail.evaluation.stress import right_versions, wrong_versions

OTHERS = ["Mara Quist won the prize in 1988.", "The bridge is long."]


def wrong(sentence, others=OTHERS):
    """All (type, text) pairs over several draws."""
    return {
        (kind.value, text)
        for seed in range(12)
        for kind, text in wrong_versions(sentence, random.Random(seed), others=others)
    }


def right(sentence):
    return {text for seed in range(12) for text in right_versions(sentence, random.Random(seed))}
