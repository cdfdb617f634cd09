"""How far two people agree: Cohen's kappa (Cohen 1960, Educational and Psychological Measurement 20, 37-46)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from guardrail.evaluation.bootstrap import Estimate, estimates
from guardrail.evaluation.labels import SKIPPED, UNSURE, Labels
from guardrail.evaluation.metrics import ratio
from guardrail.evaluation.sample import Numbers, numbered

_OPEN = (UNSURE, SKIPPED)
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Of two people, over what both labelled.

    Attributes:
        people: Their names.
        n: Sentences (or whole answers) that both labelled, without what one was unsure of or skipped.
        answers: Answers that these are of.
        same: Share (0..1) labelled alike, None where n is 0.
        kappa: (same - expected) / (1 - expected), with its 95 % bootstrap interval over answers, since sentences of one
            answer are not independent; None where all labels are the same word, for then nothing is expected otherwise.
        apart: (item, segment) of those labelled differently.
    """

    people: tuple[str, str]
    n: int
    answers: int
    same: float | None
    kappa: Estimate
    apart: tuple[tuple[str, str], ...]


def agreement(labels: Labels) -> list[Agreement]:
    """Of each two people who labelled some of the same sentences, by name."""
    found = (_between(labels, one, other) for one, other in combinations(labels.people(), 2))
    return [pair for pair in found if pair.n]


def _between(labels: Labels, one: str, other: str) -> Agreement:
    rows = [
        (item, segment, first.label, second.label)
        for item in labels.items
        for segment, first in labels.said(item, one).items()
        if (second := labels.said(item, other).get(segment)) is not None
        and first.label not in _OPEN
        and second.label not in _OPEN
    ]
    same = sum(first == second for _, _, first, second in rows)
    return Agreement(
        people=(one, other),
        n=len(rows),
        answers=len({item for item, *_ in rows}),
        same=same / len(rows) if rows else None,
        kappa=kappa([(item, first, second) for item, _, first, second in rows]),
        apart=tuple((item, segment) for item, segment, first, second in rows if first != second),
    )


def kappa(pairs: Sequence[tuple[object, str | None, str | None]]) -> Estimate:
    """Cohen's kappa of (group, one label, other label), with its 95 % interval over resampled groups."""
    if not pairs:
        return Estimate(None)
    words = sorted({str(word) for _, *both in pairs for word in both})
    one, other = (
        np.array([[str(pair[place]) == word for word in words] for pair in pairs], dtype=float) for place in (1, 2)
    )
    same = (one * other).sum(axis=1)

    def figures(weights: Numbers) -> dict[str, Numbers]:
        total = weights.sum(axis=1)
        expected = ((weights @ one) * (weights @ other)).sum(axis=1) / total**2
        room = np.where(1 - expected > _ROUNDING, 1 - expected, 0.0)
        return {"kappa": ratio((weights @ same) / total - expected, room)}

    return estimates(numbered([group for group, *_ in pairs]), figures)["kappa"]
