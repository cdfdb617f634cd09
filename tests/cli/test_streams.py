"""What the commands read from and write to."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from pathlib import Path

import pytest

from guardrail import UsageError
from guardrail.cli.streams import JsonList, count_lines, is_file, progress_bar, refuse_unreadable


def test_a_list_is_whole_even_where_the_work_breaks_off():
    target = io.StringIO()
    with suppress(ZeroDivisionError), JsonList(target) as found:
        found.write({"a": [1]})
        found.write("\ud800")
        raise ZeroDivisionError
    assert json.loads(target.getvalue()) == [{"a": [1]}, "\ud800"]
    empty = io.StringIO()
    with JsonList(empty):
        pass
    assert json.loads(empty.getvalue()) == []


def test_lines_are_counted_for_the_bar(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("{}\n\n{}\n")
    assert (count_lines(path), count_lines(None), count_lines(tmp_path / "a.json")) == (2, None, None)


def test_an_output_never_empties_its_input(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("{}\n")
    refuse_unreadable(path, tmp_path / "b.jsonl")
    with pytest.raises(UsageError, match="is the input itself"):
        refuse_unreadable(path, path)
    with pytest.raises(UsageError, match="cannot read"):
        refuse_unreadable(tmp_path / "gone", None)
    assert not is_file(Path("-"))


def test_no_bar_no_output(capsys):
    with progress_bar("checking", 2, shown=False) as tick:
        tick()
    assert capsys.readouterr() == ("", "")
