"""Pairs of the contrast sets in training/written/contrast: a passage, true claims, and false twins of them.

Each set holds two minimal pairs, one close to the passage's wording and one in other words, so that neither overlap nor
style tells true from false.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from guardrail.text.passages import sentences
from guardrail.text.restatement import after_question
from training.pairs import CONTRADICTED, NEUTRAL, NOT_SUPPORTED, SUPPORTED, Pair, held_out, read_rows

FOLDER = Path(__file__).parent / "written" / "contrast"
LABELS = {"c": CONTRADICTED, "u": NEUTRAL}
BESIDE = 0.25
"""Chance that sentences about something else stand beside the passage, as in the joint view."""

ELSEWHERE = 0.03
"""Chance that a true claim is also shown with another set's passage."""


@cache
def contrast_sets(*, held: bool, langs: tuple[str, ...] = ("en",)) -> tuple[dict[str, Any], ...]:
    """The sets of one fold, English ones or those of other languages; the fold is drawn by the passage."""
    rows = (row for path in sorted(FOLDER.glob("*.jsonl")) if language_of(path) in langs for row in read_rows(path))
    return tuple(row for row in rows if held_out(row["p"]) == held)


def language_of(path: Path) -> str:
    """The language of a file's claims: its name, where that is a code of two letters, else English."""
    return path.stem if len(path.stem) == 2 and path.stem.isalpha() else "en"


def least_shown(
    sets: Sequence[dict[str, Any]], shown: Counter[str], count: int, rng: random.Random, *, key: str = "p"
) -> list[dict[str, Any]]:
    """So many sets to train on, those shown least first, so that every set is shown before one comes again.

    ``key`` names what tells the sets apart.
    """
    chosen = sorted(sets, key=lambda row: shown[row[key]] + rng.random())[:count]
    shown.update(row[key] for row in chosen)
    return chosen


def read_passage(text: str) -> str:
    """A short passage with its table rows, objects and items as statements, as the joint view of the guard has them."""
    return " ".join(sentence.text for sentence in sentences(text))


def contrast_group(row: dict[str, Any], rng: random.Random, others: Sequence[dict[str, Any]]) -> list[Pair]:
    """The claims of one set, true and false in turn, with a fresh view of its passage."""
    passage = _beside(read_passage(row["p"]), others, rng)
    claims = [
        (after_question(claim, row.get("q")), label)
        for true, false, letter in zip(row["t"], row["f"], row["v"], strict=True)
        for claim, label in ((true, SUPPORTED), (false, LABELS[letter]))
    ]
    return [Pair(passage, claim, label, "contrast", row["p"]) for claim, label in claims]


def contrast_pairs(rng: random.Random, *, held: bool = False, langs: tuple[str, ...] = ("en",)) -> Iterator[Pair]:
    """Every claim of every set; a true one now and then with another set's passage, too."""
    sets = contrast_sets(held=held, langs=langs)
    for row in sets:
        for pair in contrast_group(row, rng, sets):
            yield pair
            if pair.label == SUPPORTED and rng.random() < ELSEWHERE:
                yield replace(pair, premise=read_passage(rng.choice(sets)["p"]), label=NOT_SUPPORTED)


def _beside(passage: str, others: Sequence[dict[str, Any]], rng: random.Random) -> str:
    if rng.random() >= BESIDE:
        return passage
    other = sentences(rng.choice(others)["p"])
    chosen = " ".join(s.text for s in other[: rng.choice((1, 1, 2))])
    return f"{passage} {chosen}" if rng.random() < 0.6 else f"{chosen} {passage}"
