"""Contrast sets: their form, and that neither overlap nor length nor a word tells true from false."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.field import area
from training.contrast import FOLDER, contrast_group, contrast_pairs, contrast_sets
from training.pairs import NOT_SUPPORTED, SUPPORTED

FILES = sorted(FOLDER.glob("*.jsonl"))
_CJK = r"\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")


def sets(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def overlap(claim: str, passage: str) -> float:
    said = set(_WORD.findall(claim.lower()))
    return len(said & set(_WORD.findall(passage.lower()))) / len(said)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_set_has_twins_with_labels(path: Path) -> None:
    rows = sets(path)
    assert all(len(row["t"]) == len(row["f"]) == len(row["v"]) >= 1 for row in rows)
    assert all(set(row["v"]) <= {"c", "u"} and not set(row["t"]) & set(row["f"]) for row in rows)
    assert len({row["p"] for row in rows}) == len(rows)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_overlap_and_length_tell_nothing(path: Path) -> None:
    for measure in (overlap, lambda claim, passage: len(_WORD.findall(claim))):
        good, wrong = ([measure(claim, row["p"]) for row in sets(path) for claim in row[side]] for side in "tf")
        assert 0.44 < area(good, wrong) < 0.56


def test_no_word_gives_the_label_away() -> None:
    seen: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for path in FILES:
        for row in sets(path):
            for side in "tf":
                for claim in row[side]:
                    seen[side == "t"].update(set(_WORD.findall(claim.lower())))
    common = [word for word in seen[True] | seen[False] if seen[True][word] + seen[False][word] >= 100]
    leaning = {word: seen[True][word] / (seen[True][word] + seen[False][word]) for word in common}
    assert {word: share for word, share in leaning.items() if not 0.36 < share < 0.64} == {}


def test_folds_are_cut_by_passage_and_twins_stay_together() -> None:
    held, shown = ({row["p"] for row in contrast_sets(held=fold)} for fold in (True, False))
    assert not held & shown
    assert 0.05 < len(held) / len(held | shown) < 0.11
    sets_held = contrast_sets(held=True)
    for group in (contrast_group(row, random.Random(1), sets_held) for row in sets_held):
        assert [pair.label == SUPPORTED for pair in group] == [True, False] * (len(group) // 2)
        assert len({pair.premise for pair in group}) == 1
    assert any(pair.label == NOT_SUPPORTED for pair in contrast_pairs(random.Random(1), held=True))
