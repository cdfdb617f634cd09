"""Pairs of one epoch: every written record in fresh random views, a share of the human rows, edits of real prose."""

from __future__ import annotations

import random
from pathlib import Path

from training.natural import natural_pairs
from training.pairs import Pair, human_pairs, join, written_pairs, written_records

NATURAL = 0.5
"""Pairs of edited real prose per written record."""

OWN_VIEWS, GIVEN_SHARE = 2, 0.5
"""Views per epoch of each record kept beside this file, and share of those of the training folder shown once.

In the older ones the false claims copy the passage and the true ones reword it, so wording gives the label away.
"""


def epoch_pairs(data: Path, seed: int, *, human_share: float, held: bool = False) -> list[Pair]:
    """All pairs of an epoch in random order, deterministic for a seed.

    Args:
        data: Folder with train/.
        seed: Draws the views, edits and rows.
        human_share: Share of the human-labelled rows (0..1).
        held: Take the held-out fold instead of the training fold.
    """
    rng = random.Random(seed)
    pairs: list[Pair] = []
    records = written_records(data, held=held)
    paragraphs = [join(record["sentences"][:4], record["lang"]) for record in records]
    for record in records:
        for _ in range(OWN_VIEWS if record["own"] else rng.random() < GIVEN_SHARE):
            pairs.extend(written_pairs(record, rng, paragraphs))
    pairs.extend(human_pairs(data, rng, human_share, held=held))
    pairs.extend(natural_pairs(data, rng, round(len(records) * NATURAL), held=held))
    rng.shuffle(pairs)
    return pairs
