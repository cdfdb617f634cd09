"""Pairs of one epoch: every written record in fresh random views, a share of the human rows, edits of real prose."""

from __future__ import annotations

import random
from pathlib import Path

from training.contrast import contrast_pairs
from training.elementary import elementary_pairs
from training.natural import natural_pairs
from training.pairs import Pair, human_pairs, join, written_pairs, written_records

NATURAL = 0.3
"""Pairs of edited real prose per written record."""

VIEWS = {"balanced": 2.0, "field": 1.3, "own": 0.35, "given": 0.08}
"""Views per epoch of a written record, by kind; a fraction is a chance.

In ``given`` records the false claims copy the passage and the true ones reword it, so wording gives the label away; in
``balanced`` ones it does not.
"""

ELEMENTARY = 11_000
"""Elementary pairs per epoch."""

HELD_ELEMENTARY = 300


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
        views = VIEWS[record["set"]]
        for _ in range(int(views) + (rng.random() < views % 1)):
            pairs.extend(written_pairs(record, rng, paragraphs))
    pairs.extend(human_pairs(data, rng, human_share, held=held))
    pairs.extend(contrast_pairs(rng, held=held))
    pairs.extend(natural_pairs(data, rng, round(len(records) * NATURAL), held=held))
    pairs.extend(elementary_pairs(rng, HELD_ELEMENTARY if held else ELEMENTARY, held=held))
    rng.shuffle(pairs)
    return pairs
