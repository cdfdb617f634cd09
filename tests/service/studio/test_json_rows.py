"""A file of JSON lines, by row number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guardrail.errors import UsageError
from guardrail.service.studio.json_rows import JsonRows


def rows_of(folder: Path, text: str) -> JsonRows:
    path = folder / "answers.jsonl"
    path.write_bytes(text.encode("utf-8"))
    return JsonRows(path)


def test_blank_lines_are_no_rows_and_the_last_one_may_lack_its_end(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, '\n{"n": 0, "t": "é😀"}\n\n  \n{"n": 1}\r\n{"n": 2}')
    assert len(rows) == 3
    assert [row["n"] for row in rows.rows(0, 99)] == [0, 1, 2]
    assert rows.row(0)["t"] == "é😀"


def test_a_stretch_ends_where_the_file_does(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, "".join(json.dumps({"n": n}) + "\n" for n in range(10)))
    assert [row["n"] for row in rows.rows(8, 5)] == [8, 9]
    assert [row["n"] for row in rows.rows(3, 2)] == [3, 4]
    assert rows.rows(3, 0) == []
    for number in (-1, 10):
        with pytest.raises(UsageError, match=f"there is no row {number}: the file has 10"):
            rows.row(number)


def test_a_mark_of_the_byte_order_is_no_part_of_the_first_row(tmp_path: Path) -> None:
    assert rows_of(tmp_path, '\ufeff{"n": 0}').row(0) == {"n": 0}


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "is empty"), ("\n \n", "is empty"), ("[1]\n", "row 1 of .* is no JSON object"), ("PK\x03", "row 1 of")],
)
def test_a_file_of_something_else_is_refused_at_the_start(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        rows_of(tmp_path, text)


def test_a_later_row_that_is_none_is_said_when_it_is_asked_for(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, '{"n": 0}\n{"n": \n' + "[" * 100_000 + "\n")
    for number in (1, 2):
        with pytest.raises(UsageError, match=f"row {number + 1} of"):
            rows.row(number)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*No such file"):
        JsonRows(tmp_path / "none.jsonl")
