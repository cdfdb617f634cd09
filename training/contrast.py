"""Pairs of the contrast sets in training/written/contrast: a passage, true claims, and false twins of them.

Each set holds two minimal pairs, one close to the passage's wording and one in other words, so that neither overlap nor
style tells true from false.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from guardrail.text.passages import sentences
from guardrail.text.wording import with_question
from training.pairs import CONTRADICTED, NEUTRAL, NOT_SUPPORTED, SUPPORTED, Pair, held_out, read_rows

FOLDER = Path(__file__).parent / "written" / "contrast"
LABELS = {"c": CONTRADICTED, "u": NEUTRAL}
BESIDE = 0.25
"""Chance that sentences about something else stand beside the passage, as in the joint view."""

ELSEWHERE = 0.03
"""Chance that a true claim is also shown with another set's passage."""


@cache
def contrast_sets(*, held: bool) -> tuple[dict[str, Any], ...]:
    """The sets of one fold; the fold is drawn by the passage."""
    rows = (row for path in sorted(FOLDER.glob("*.jsonl")) for row in read_rows(path))
    return tuple(row for row in rows if held_out(row["p"]) == held)


def read_passage(text: str) -> str:
    """What the running guard shows the model of a short passage: table rows, objects and items as statements."""
    return " ".join(sentence.text for sentence in sentences(text))


def contrast_pairs(rng: random.Random, *, held: bool = False, share: float = 1.0) -> Iterator[Pair]:
    """Every claim of a share (0..1) of the sets, each with a fresh view of its passage."""
    sets = contrast_sets(held=held)
    for row in sets:
        if rng.random() >= share:
            continue
        passage = read_passage(row["p"])
        for true, false, label in zip(row["t"], row["f"], row["v"], strict=True):
            for claim, value in ((true, SUPPORTED), (false, LABELS[label])):
                text = with_question(claim, row.get("q"))
                yield Pair(_beside(passage, sets, rng), text, value, "contrast", row["p"])
                if value == SUPPORTED and rng.random() < ELSEWHERE:
                    yield Pair(read_passage(rng.choice(sets)["p"]), text, NOT_SUPPORTED, "contrast", row["p"])


def _beside(passage: str, sets: tuple[dict[str, Any], ...], rng: random.Random) -> str:
    if rng.random() >= BESIDE:
        return passage
    other = sentences(rng.choice(sets)["p"])
    chosen = " ".join(s.text for s in other[: rng.choice((1, 1, 2))])
    return f"{passage} {chosen}" if rng.random() < 0.6 else f"{chosen} {passage}"
