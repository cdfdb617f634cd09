"""``guardrail calibrate --cascade``: the band in which a cascade asks its judge."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.labelled_answers import write

Command = Callable[..., tuple[int, str, str]]
TOWNS = "Arden Brill Corvo Dunmore Elsby Farrow Gantry Hexham Irlam Jarrow Kelso Lorne".split()
PASSAGE = "{} Bridge was opened to traffic in 1954. Its two towers carry a deck of steel."
TEXTS = {
    "supported": "{} Bridge was opened to traffic in 1954.",
    "unsupported": "{} Bridge was designed by a violinist from Vienna who disliked railways.",
}


def rows(count: int = 24) -> list[dict[str, Any]]:
    towns = [f"{town} {side}" for side in ("North", "South") for town in TOWNS]
    labels = list(TEXTS)
    return [
        {"id": n, "passages": [PASSAGE.format(towns[n])], "label": (label := labels[n // 2 % 2]),
         "answer": TEXTS[label].format(towns[n])}
        for n in range(count)
    ]  # fmt: skip


@pytest.fixture
def band(tmp_path: Path, command: Command) -> Command:
    """Run the command on rows."""

    def run(given: list[dict[str, Any]], *arguments: object) -> tuple[int, str, str]:
        data = write(tmp_path / "labelled.jsonl", given)
        return command("calibrate", data, "--cascade", *arguments)

    return run


def test_the_band_is_printed_with_what_was_measured_beside_it(band: Command) -> None:
    code, out, err = band(rows(), "--target-error", 0.1)
    assert code == 0, err
    assert out.startswith("band ")
    assert "CascadeEngine(low=" in out
    assert "12 answers of 12 cases that it was not chosen on: 0.0% decided wrongly" in out
    assert "assumes a judge without errors" in out
    assert "with 12 cases an error above 10.0% cannot be excluded" in err
    assert "12 cases are few" in err


def test_what_is_printed_as_json_says_the_same(band: Command) -> None:
    code, out, _ = band([*rows(), {"answer": 3}], "--target-error", 0.1, "--judge-error", 0.2, "--skip-bad", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["target"], found["judge_error"], found["unreadable"], found["reached"]) == (0.1, 0.2, 1, True)
    assert 0.0 <= found["low"] <= found["high"] <= 1.0
    assert (found["held_out"]["n"], found["held_out"]["calls"]) == (12, 0.0)  # all of it is clear to the local engine


def test_a_target_that_no_band_reaches_is_said(band: Command) -> None:
    other = {"supported": "unsupported", "unsupported": "supported"}
    swapped = [row | {"label": other[row["label"]]} for row in rows()]
    code, out, err = band(swapped, "--target-error", 0.01, "--judge-error", 0.5)
    assert code == 0
    assert re.search(r"cases that it was not chosen on: [4-6]\d\.\d% decided wrongly", out)
    assert "assumes a judge that decides 50.0% wrongly" in out
    assert "no band reaches 1.0%; this one comes nearest" in err


@pytest.mark.parametrize(
    ("given", "arguments", "reason"),
    [
        (rows(1), (), "labelled answers of at least two cases"),
        ([*rows(), {"answer": 3}], (), "rows that cannot be read: 1. Mend them, or leave them out with --skip-bad"),
        (rows(2), ("--engine", "llm", "--model", "m"), "--cascade measures the first engine of a cascade alone"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    band: Command, given: list[dict[str, Any]], arguments: tuple[str, ...], reason: str
) -> None:
    code, out, err = band(given, "--target-error", 0.1, *arguments)
    assert (code, out) == (2, "")
    assert reason in err
