"""What a stage with the ranking loss shows: contrast sets first of all; human rows, written records and frames."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from training.contrast import contrast_group, contrast_sets, least_shown
from training.elementary import elementary_pairs
from training.pairs import Pair, human_pairs, join, written_pairs, written_records

SHORT = {"snli", "mnli_dev_matched", "cad_nli", "infotabs"}
LONG = {"factcg_cg2c_synth", "frank", "bump", "begin"}
SHORT_WORDS = 60
"""Words of a premise of a short human row."""

COUNTS = {"contrast": 330, "short": 160, "records": 30, "long": 50, "frames": 160}
"""Contrast sets, rows, records, rows, pairs in a round."""

SHARES = {"balanced": 1.0, "field": 0.7, "own": 0.3, "given": 0.25}
"""Share of a record's pairs that is shown, by kind of record (training/epochs.py)."""

Group = list[Pair]
"""Pairs to be read in one step: where there are several, true and false take turns."""


def short_pairs(data: Path, rng: random.Random) -> list[Pair]:
    """Human rows with a short premise."""
    return [p for p in human_pairs(data, rng, 1.0, sets=SHORT) if len(p.premise.split()) < SHORT_WORDS]


def rounds(data: Path, rng: random.Random) -> Iterator[list[Group]]:
    """Rounds without end."""
    short = short_pairs(data, rng)
    long = human_pairs(data, rng, 1.0, sets=LONG)
    records = written_records(data, held=False)
    paragraphs = [join(record["sentences"][:4], record["lang"]) for record in records]
    sets = contrast_sets(held=False)
    seen: Counter[str] = Counter()
    at = 0
    while True:
        chosen = least_shown(sets, seen, COUNTS["contrast"], rng)
        groups = [contrast_group(row, rng, sets) for row in chosen]
        singles = short[at : at + COUNTS["short"]] + rng.sample(long, COUNTS["long"])
        at = (at + COUNTS["short"]) % max(1, len(short) - COUNTS["short"])
        for record in rng.sample(records, COUNTS["records"]):
            share = SHARES[record["set"]]
            singles.extend(p for p in written_pairs(record, rng, paragraphs) if rng.random() < share)
        frames = list(elementary_pairs(rng, COUNTS["frames"]))
        yield groups + [[pair] for pair in singles] + [frames[i : i + 2] for i in range(0, len(frames), 2)]
