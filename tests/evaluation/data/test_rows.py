"""One row: its fields, and what is said of one that is wrong."""

from __future__ import annotations

import re

import pytest

from tests.support.labelled_files import PLAIN, read, write_lines


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
