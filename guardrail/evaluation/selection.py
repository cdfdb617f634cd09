"""A fixed random part of a data set, for a quicker look at it."""

from __future__ import annotations

import random
from collections.abc import Sequence

from guardrail.evaluation.labelled import LabelledAnswer

_SEED = 5


def select(answers: Sequence[LabelledAnswer], limit: int | None) -> list[LabelledAnswer]:
    """At most ``limit`` rows, drawn with a fixed seed, in their old order; an answer and its claims stay together.

    Where not even one answer fits with all its claims, the first claims of one are taken.
    """
    if limit is None or len(answers) <= limit:
        return list(answers)
    wholes: dict[tuple[str, str, str], list[int]] = {}
    for number, answer in enumerate(answers):
        wholes.setdefault((answer.dataset, answer.group, answer.part_of or answer.id), []).append(number)
    order = list(wholes.values())
    random.Random(_SEED).shuffle(order)  # noqa: S311  a draw, not a secret
    chosen: list[int] = []
    for rows in order:
        if len(chosen) + len(rows) <= limit:
            chosen.extend(rows)
    return [answers[number] for number in sorted(chosen or order[0][:limit])]
