"""Cases, an answer with a false twin of each sentence: their form, their folds, and that wording tells little."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks.field import area
from training.answers import case_answers
from training.cases import FOLDER, case_pairs, cases
from training.contrast import language_of
from training.pairs import SUPPORTED, read_rows

FILES = sorted(FOLDER.glob("*.jsonl"))
_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_sentence_has_a_twin_and_a_passage(path: Path) -> None:
    for row in read_rows(path):
        assert 2 <= len(row["passages"]) <= 5, row["id"]
        for twins in row["sentences"]:
            assert twins["right"] != twins["wrong"], row["id"]
            assert twins["v"] in ("c", "u"), row["id"]
            assert twins["from"], row["id"]
            assert set(twins["from"]) <= set(range(len(row["passages"]))), row["id"]


def test_names_and_passages_come_once() -> None:
    rows = [row for path in FILES for row in read_rows(path)]
    assert rows
    assert len({row["id"] for row in rows}) == len(rows)
    assert len({str(row["passages"]) for row in rows}) == len(rows)


def test_overlap_length_and_words_tell_little() -> None:
    shares: dict[str, list[float]] = {"right": [], "wrong": []}
    lengths: dict[str, list[float]] = {"right": [], "wrong": []}
    seen: dict[str, Counter[str]] = {"right": Counter(), "wrong": Counter()}
    for row in (row for path in FILES if language_of(path) == "en" for row in read_rows(path)):
        told = words(" ".join(f"{p['title']} {p['text']}" for p in row["passages"]))
        for twins in row["sentences"]:
            for side in ("right", "wrong"):
                said = words(twins[side])
                shares[side].append(len(said & told) / len(said))
                lengths[side].append(len(twins[side]))
                seen[side].update(said)
    assert 0.44 < area(shares["right"], shares["wrong"]) < 0.55
    assert 0.47 < area(lengths["right"], lengths["wrong"]) < 0.53
    common = [word for word in seen["right"] | seen["wrong"] if seen["right"][word] + seen["wrong"][word] >= 200]
    leaning = {word: seen["right"][word] / (seen["right"][word] + seen["wrong"][word]) for word in common}
    assert {word: share for word, share in leaning.items() if not 0.33 < share < 0.67} == {}


def test_a_run_sees_the_cases_of_its_languages() -> None:
    english = {row["id"] for fold in (True, False) for row in cases(held=fold)}
    assert english == {row["id"] for path in FILES if language_of(path) == "en" for row in read_rows(path)}
    assert {"c1", "f5"} <= {ident.split("-")[0] for ident in english}
    assert not english & {row["id"] for row in cases(held=False, langs=("de", "zh"))}


def test_twins_are_read_with_their_passage_and_in_one_fold() -> None:
    held, shown = ({row["id"] for row in cases(held=fold)} for fold in (True, False))
    assert not held & shown
    row = cases(held=True)[0]
    pairs = list(case_pairs(row, random.Random(1)))
    rights = {twins["right"] for twins in row["sentences"] if len(twins["from"]) == 1}
    assert sum(pair.label == SUPPORTED for pair in pairs) == len(rights)
    assert {pair.group for pair in pairs} == {row["id"]}


def test_answers_of_cases_begin_with_a_right_and_a_wrong_sentence_by_turns() -> None:
    first, second = list(case_answers())[:2]
    assert first.answer.group != second.answer.group
    for answer, start in ((first, "supported"), (second, "unsupported")):
        labels = [label for _, label in answer.labels]
        assert labels[0] == start
        assert all(one != other for one, other in pairwise(labels))
