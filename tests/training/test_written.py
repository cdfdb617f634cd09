"""Training data: the form of the written records, and pairs whose labels follow from them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from training.pairs import CONTRADICTED, NEUTRAL, SUPPORTED, Pair, parts_of, written_pairs, written_records
from training.written import faults

WRITTEN = sorted((Path(__file__).parents[2] / "training" / "written").glob("*.jsonl"))


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A data folder without rows: only the records kept in this repository are read."""
    (tmp_path / "train" / "written").mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_written_records_have_the_form_that_their_readme_gives(path: Path) -> None:
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert records
    assert {record["id"]: faults(record) for record in records if faults(record)} == {}
    assert len({record["id"] for record in records}) == len(records)
    assert all(record["id"].startswith(f"{path.stem}-") for record in records)


def test_a_wrong_record_is_told_what_is_wrong() -> None:
    record: dict[str, Any] = {
        "id": "x-001", "lang": "en", "title": "t", "kind": "k", "sentences": ["a."] * 6, "splits": [6],
        "supported": [{"c": "one", "e": [9]}], "unsupported": [{"c": "one", "t": "typo", "p": 3, "v": "false"}],
    }  # fmt: skip
    told = " ".join(faults(record))
    for part in ("splits [6]", "evidence [9]", "type 'typo'", "verdict 'false'", "twin 3", "claim twice"):
        assert part in told


def test_folds_never_share_a_record(empty: Path) -> None:
    held = {record["id"] for record in written_records(empty, held=True)}
    kept = {record["id"] for record in written_records(empty, held=False)}
    assert held
    assert not held & kept
    assert 0.04 < len(held) / len(held | kept) < 0.13


def test_labels_follow_the_record_and_true_claims_keep_their_evidence(empty: Path) -> None:
    record = written_records(empty, held=False)[0]
    rng = random.Random(4)
    pairs: list[Pair] = [pair for _ in range(8) for pair in written_pairs(record, rng, [])]
    verdicts = {claim["c"]: claim["v"] for claim in record["unsupported"]}
    needed = {claim["c"]: [record["sentences"][i] for i in claim["e"]] for claim in record["supported"]}
    seen = 0
    for pair in pairs:
        if pair.claim in verdicts:
            assert pair.label == (CONTRADICTED if verdicts[pair.claim] == "contradicted" else NEUTRAL)
            assert pair.error is not None
        elif pair.claim in needed and pair.label == SUPPORTED:
            seen += 1
            assert all(sentence in pair.premise for sentence in needed[pair.claim])
        elif pair.claim in needed:
            assert not all(sentence in pair.premise for sentence in needed[pair.claim])
    assert seen >= 8 * len(needed)


def test_passages_of_a_record_are_cut_at_its_splits() -> None:
    assert parts_of({"sentences": list("abcdef"), "splits": [2, 5]}) == [[0, 1], [2, 3, 4], [5]]
    assert parts_of({"sentences": list("abc")}) == [[0, 1, 2]]
