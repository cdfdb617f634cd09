"""The realistic answers that fit the scorer: their form, and how a stretch of an answer gets its label."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guardrail.types import Verdict
from training.answers import ANSWERS, realistic_answers
from training.pairs import read_rows

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
CASES = [BENCHMARKS / f"{name}.jsonl" for name in ("answers", "answers_later", "answers_abroad")]
LABELS = {"supported", "contradicted", "unsupported", "not_checkworthy"}


@pytest.mark.parametrize("path", [*sorted(ANSWERS.glob("*.jsonl")), *CASES], ids=lambda path: path.stem)
def test_labels_are_of_sentences_in_order(path: Path) -> None:
    for row in read_rows(path):
        place = 0
        for gold in row["gold"]:
            place = row["answer"].find(gold["sentence"], place)
            assert place >= 0, (row["id"], gold["sentence"])
            assert gold["label"] in LABELS
            place += len(gold["sentence"])


def test_no_case_is_there_twice_and_none_of_the_benchmark() -> None:
    rows = [row for path in [*ANSWERS.glob("*.jsonl"), *CASES] for row in read_rows(path)]
    assert len({row["id"] for row in rows}) == len(rows)
    assert len({json.dumps(row["passages"]) for row in rows}) == len(rows)


def test_a_stretch_is_wrong_where_one_of_its_sentences_is() -> None:
    case = next(each for each in realistic_answers() if each.answer.label is Verdict.UNSUPPORTED)
    wrong = next(sentence for sentence, label in case.labels if label in ("contradicted", "unsupported"))
    right = next(sentence for sentence, label in case.labels if label == "supported")
    assert case.label(wrong) is False
    assert case.label(right) is True
    assert case.label(case.answer.answer) is False
    assert case.label("Nothing of the kind was said.") is None
