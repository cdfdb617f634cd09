"""Face4RAG's CSV."""

from __future__ import annotations

import csv

import pytest

from guardrail.errors import UsageError
from guardrail.types import ErrorType, Verdict
from tests.support.labelled_files import read


def write_csv(path, columns, rows):
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(columns)
        writer.writerows(rows)
    return path


def test_face4rag_csv(tmp_path):
    rows = [
        ["誰？", "他於1931年出生。\n第二行，有逗號", "他於1941年出生。", "1", "0", "KCont."],
        ["Who?", "A ref.", "An answer.", "2", "1", ""],
        ["Who?", "A ref.", "An answer.", "3", "maybe", ""],
        ["Who?", "A ref.", "So it must follow.", "", "False", "LCaus"],
    ]
    path = write_csv(tmp_path / "real.csv", ["question", "ref", "answer", "id", "Label", "error_type"], rows)
    (contradicted, fine, caused), bad = read(path)
    assert (contradicted.label, contradicted.error_type, contradicted.lang) == (
        Verdict.CONTRADICTED,
        ErrorType.CONTRADICTION,
        "zh",
    )
    assert contradicted.passages[0].text.endswith("有逗號")
    assert (fine.label, fine.error_type, fine.id) == (Verdict.SUPPORTED, None, "2")
    assert (caused.label, caused.error_type, caused.id) == (Verdict.UNSUPPORTED, ErrorType.CAUSAL_CONFUSION, "line 6")
    assert "'maybe'" in bad[0].problem
    assert bad[0].line == 5  # the line of the file: the first record has two


def test_face4rag_csv_with_other_columns_says_which_are_missing(tmp_path):
    with pytest.raises(UsageError, match=r"\['ref'\].*'reference'"):
        read(write_csv(tmp_path / "a.csv", ["question", "reference", "answer", "id", "label"], []))
    with pytest.raises(UsageError, match="a label column"):
        read(write_csv(tmp_path / "b.csv", ["question", "ref", "answer", "id"], []))
