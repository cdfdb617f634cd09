"""Pairs of training/written/cases: passages as a retriever brings them, an answer, and a false twin of each sentence.

A passage is read whole, as the larger reader reads it; a sentence that another passage backs is not supported by it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from guardrail.text.passages import titled
from guardrail.text.restatement import after_question
from training.contrast import LABELS, language_of, read_passage
from training.pairs import NOT_SUPPORTED, SUPPORTED, Pair, held_out, read_rows

FOLDER = Path(__file__).parent / "written" / "cases"
ELSEWHERE = 2
"""Sentences that are also shown with a passage that does not back them."""


@cache
def cases(*, held: bool, langs: tuple[str, ...] = ("en",)) -> tuple[dict[str, Any], ...]:
    """The cases of one fold, which is drawn by their names, English ones or those of other languages."""
    files = (path for path in sorted(FOLDER.glob("*.jsonl")) if language_of(path) in langs)
    rows = (row for path in files for row in read_rows(path))
    return tuple(row for row in rows if held_out(row["id"]) == held)


def case_pairs(row: dict[str, Any], rng: random.Random) -> Iterator[Pair]:
    """With each passage the sentences that it alone backs, each before its false twin, and some sentences of others."""
    for number, passage in enumerate(row["passages"]):
        own = [s for s in row["sentences"] if s["from"] == [number]]
        others = [s for s in row["sentences"] if number not in s["from"]]
        shown: list[tuple[str, int]] = []
        for twins in rng.sample(own, len(own)):
            shown += [(twins["right"], SUPPORTED), (twins["wrong"], LABELS[twins["v"]])]
        for twins in rng.sample(others, min(ELSEWHERE, len(others))):
            shown.append((twins[rng.choice(("right", "right", "wrong"))], NOT_SUPPORTED))
        premise = titled(passage["title"], read_passage(passage["text"]))
        for claim, label in shown:
            yield Pair(premise, after_question(claim, row["question"]), label, "cases", row["id"])
