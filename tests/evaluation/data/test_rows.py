"""One row: its fields, and what is said of one that is wrong."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from guardrail.evaluation import read_labelled

PLAIN = {
    "id": "a",
    "question": "When?",
    "answer": "It opened in 1931.",
    "passages": ["It opened in 1931."],
    "label": "supported",
}


def write_lines(path, rows):
    text = "".join((row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


def read(path):
    bad = []
    return list(read_labelled(path, on_bad=bad.append)), bad


def test_language_is_told_by_script_where_it_is_not_given(tmp_path):
    rows, _ = read(
        write_lines(tmp_path / "x.jsonl", [{**PLAIN, "answer": "這座橋於1931年啟用。"}, {**PLAIN, "lang": "fr"}])
    )
    assert [row.lang for row in rows] == ["zh", "fr"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "not valid JSON"),
        ("[1]", "must be a JSON object, got list"),
        ({**PLAIN, "answer": None}, "no text 'answer'"),
        ({**PLAIN, "answer": "  "}, "'answer' is empty"),
        ({**PLAIN, "label": "suported"}, "Did you mean 'supported'"),
        ({**PLAIN, "label": "unverified"}, "no label"),
        ({**PLAIN, "label": 1}, "no label"),
        ({**PLAIN, "passages": "text"}, "'passages' must be a list"),
        ({**PLAIN, "passages": [{"title": "T"}]}, r"passages\[0\]"),
        ({**PLAIN, "passages": [{"id": "1", "text": "a"}, {"id": "1", "text": "b"}]}, "same id"),
        ({**PLAIN, "error_spans": [[0, 99]]}, "no stretch of a text of 18 characters"),
        ({**PLAIN, "error_spans": [[3, 3]]}, "no stretch"),
        ({**PLAIN, "error_spans": [[True, 3]]}, "no stretch"),
        ({**PLAIN, "mixed": "yes"}, "'mixed' must be true"),
        ({**PLAIN, "id": 1.5}, "'id' must be"),
    ],
)
def test_a_bad_row_is_told_with_its_line_and_the_rest_goes_on(tmp_path, line, problem):
    path = write_lines(tmp_path / "x.jsonl", [PLAIN, "", line, PLAIN])
    rows, bad = read(path)
    assert len(rows) == 2
    (found,) = bad
    assert (found.file, found.line) == (path, 3)
    assert re.search(problem, found.problem)
