"""A value given to the wrong row of a table is found; nothing is said where the table leaves room."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

from guardrail import Guard, Verdict
from guardrail.text.facts import extract
from guardrail.text.passages import sentences
from guardrail.text.records.clash import row_clashes

TABLE = "| Plan | Data | Price |\n|---|---|---|\n| Start | 10 GB | €9.99 |\n| Move | 40 GB | €17.99 |\n| Max | 80 GB | €34.99 |"
SETS = Path(__file__).parents[3] / "training" / "written" / "contrast" / "tables.jsonl"


def clashes(claim: str, passage: str) -> list[tuple[str, str | None]]:
    tables = defaultdict(list)
    for sentence in sentences(passage):
        if sentence.table >= 0:
            tables[sentence.table].append(sentence.cells)
    prose = [sentence.text for sentence in sentences(passage) if sentence.table < 0]
    return [(m.claim_value, m.evidence_value) for m in row_clashes(extract(claim), list(tables.values()), prose)]


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("The Max plan has 10 GB of data.", [("10 GB", "80 GB")]),
        ("Plan: Move; Price: €34.99.", [("€34.99", "€17.99")]),
        ("The Max plan has 80 GB of data.", []),
        ("The Max plan has 70 GB more data than 10 GB.", []),
        ("Max costs €34.99, Start €9.99.", []),
        ("The Max plan has 25 GB of data.", []),
        ("The dearest plan has 10 GB of data.", []),
    ],
)
def test_values_of_another_row(claim: str, found: list[tuple[str, str]]) -> None:
    assert clashes(claim, TABLE) == found


def test_other_sentences_and_tables_may_say_it() -> None:
    assert clashes("The Max plan has 10 GB of data.", f"{TABLE}\n\nUntil May the Max plan had 10 GB.") == []
    rows = json.dumps(
        [{"room": "Alpha", "beds": "2 beds", "m": "9 m"}, {"room": "Beta", "beds": "3 beds", "m": "12 m"}]
    )
    assert clashes("Alpha is 12 m long.", rows) == [("12 m", "9 m")]


def test_no_true_claim_of_the_contrast_sets_clashes() -> None:
    rows = [json.loads(line) for line in SETS.read_text(encoding="utf-8").splitlines()]
    assert [claim for row in rows for claim in row["t"] if clashes(claim, row["p"])] == []
    assert sum(bool(clashes(claim, row["p"])) for row in rows for claim in row["f"]) >= 10


def test_the_guard_names_the_clash() -> None:
    report = Guard().check("| Plan | Data |\n|---|---|\n| Move | 40 GB |\n| Max | 10 GB |", [TABLE])
    assert [finding.verdict for finding in report.findings] == [Verdict.SUPPORTED, Verdict.CONTRADICTED]
    assert "10 GB" in report.findings[1].reason
    assert "80 GB" in report.findings[1].reason
