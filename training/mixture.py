"""What a stage with the ranking loss shows: contrast sets first of all; human rows, written records and frames."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from training.contrast import contrast_group, contrast_sets, least_shown
from training.elementary import elementary_pairs
from training.pairs import (
    CONTRADICTED,
    NEUTRAL,
    NOT_SUPPORTED,
    SUPPORTED,
    Pair,
    human_pairs,
    join,
    read_rows,
    written_pairs,
    written_records,
)

SHORT = {"snli", "mnli_dev_matched", "cad_nli", "infotabs"}
LONG = {"factcg_cg2c_synth", "frank", "bump", "begin"}
SHORT_WORDS = 60
"""Words of a premise of a short human row."""

COUNTS = {"contrast": 420, "short": 300, "records": 40, "long": 60, "frames": 200, "extra": 700}
"""Contrast sets, rows, records, rows, pairs, pairs of a further folder in a round."""

TWINS = 2
"""Minimal pairs of a contrast set that are shown at a time."""

EXTRA_LABELS = {
    "supported": SUPPORTED,
    "contradicted": CONTRADICTED,
    "neutral": NEUTRAL,
    "not_supported": NOT_SUPPORTED,
}

SHARES = {"balanced": 1.0, "field": 0.7, "own": 0.3, "given": 0.25}
"""Share of a record's pairs that is shown, by kind of record (training/epochs.py)."""

Group = list[Pair]
"""Pairs to be read in one step: where there are several, true and false take turns."""


def short_pairs(data: Path, rng: random.Random) -> list[Pair]:
    """Human rows with a short premise."""
    return [p for p in human_pairs(data, rng, 1.0, sets=SHORT) if len(p.premise.split()) < SHORT_WORDS]


def extra_pairs(folder: Path | None) -> dict[str, list[Group]]:
    """Rows {"p": premise, "c": claim, "l": label, "s": data set} of a folder's *.jsonl.gz, by file and premise."""
    found: dict[str, list[Group]] = {}
    for path in sorted(folder.glob("*.jsonl.gz")) if folder else ():
        by_premise: dict[str, Group] = defaultdict(list)
        for row in read_rows(path):
            by_premise[row["p"]].append(Pair(row["p"], row["c"], EXTRA_LABELS[row["l"]], row["s"], row["p"]))
        found[path.name] = list(by_premise.values())
    return found


def some_twins(group: Group, rng: random.Random) -> Group:
    """A few of the minimal pairs of a contrast group: its premise comes again, with others."""
    starts = rng.sample(range(0, len(group), 2), min(TWINS, len(group) // 2))
    return [pair for start in starts for pair in group[start : start + 2]]


def rounds(data: Path, rng: random.Random, extra: Path | None = None) -> Iterator[list[Group]]:
    """Rounds without end; further files take turns by the root of their size."""
    further = extra_pairs(extra)
    weights = [len(groups) ** 0.5 for groups in further.values()]
    short = short_pairs(data, rng)
    long = human_pairs(data, rng, 1.0, sets=LONG)
    records = written_records(data, held=False)
    paragraphs = [join(record["sentences"][:4], record["lang"]) for record in records]
    sets = contrast_sets(held=False)
    seen: Counter[str] = Counter()
    at = 0
    while True:
        chosen = least_shown(sets, seen, COUNTS["contrast"], rng)
        groups = [some_twins(contrast_group(row, rng, sets), rng) for row in chosen]
        singles = short[at : at + COUNTS["short"]] + rng.sample(long, COUNTS["long"])
        at = (at + COUNTS["short"]) % max(1, len(short) - COUNTS["short"])
        for record in rng.sample(records, COUNTS["records"]):
            share = SHARES[record["set"]]
            singles.extend(p for p in written_pairs(record, rng, paragraphs) if rng.random() < share)
        if further:
            singles.extend(
                rng.choice(rng.choice(of_file))
                for of_file in rng.choices(list(further.values()), weights, k=COUNTS["extra"])
            )
        frames = list(elementary_pairs(rng, COUNTS["frames"]))
        yield groups + [[pair] for pair in singles] + [frames[i : i + 2] for i in range(0, len(frames), 2)]
