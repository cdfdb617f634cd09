"""Files and folders of labelled answers: which are read, and by which reader."""

from __future__ import annotations

import gzip

import pytest

from guardrail.errors import UsageError
from guardrail.evaluation import read_labelled
from guardrail.evaluation.data.reading import find_sources
from tests.support.labelled_files import PLAIN, read, write_lines


def test_a_file_of_bad_rows_only_is_an_error_that_names_the_first(tmp_path):
    path = write_lines(tmp_path / "x.jsonl", [{**PLAIN, "label": "?"}, "{"])
    with pytest.raises(UsageError, match="row 1: 'label'"):
        read(path)


def test_bad_rows_are_logged_where_nobody_listens(tmp_path, caplog):
    list(read_labelled(write_lines(tmp_path / "x.jsonl", [PLAIN, "{"])))
    assert "row 2" in caplog.text


@pytest.mark.parametrize("name", ["none.jsonl", "notes.md", "empty.jsonl", "other.json", "broken.jsonl.gz"])
def test_what_is_no_labelled_file_is_refused(tmp_path, name):
    (tmp_path / "notes.md").write_text("# notes")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "other.json").write_text('{"a": 1}')
    (tmp_path / "broken.jsonl.gz").write_bytes(gzip.compress(b'{"a": 1}\n' * 99)[:-9])
    with pytest.raises(UsageError, match=name):
        list(read_labelled(tmp_path / name))


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_an_empty_file_is_said_to_be_empty(tmp_path, content):
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    with pytest.raises(UsageError, match=r"x\.jsonl' is empty"):
        read(path)
    write_lines(tmp_path / "y.jsonl", [PLAIN])
    assert len(read(tmp_path)[0]) == 1  # in a folder it is passed over


def test_a_folder_is_read_by_name_and_files_without_labels_are_passed_over(tmp_path):
    (tmp_path / "README.md").write_text("# data")
    (tmp_path / "sub").mkdir()
    write_lines(tmp_path / "sub" / "b.jsonl", [PLAIN])
    write_lines(tmp_path / "a.jsonl.gz", [PLAIN])
    write_lines(tmp_path / "unlabelled.jsonl", [{"note": "no answers here"}])
    assert [source.path.name for source in find_sources(tmp_path)] == ["a.jsonl.gz", "b.jsonl"]
    assert [row.dataset for row in read_labelled(tmp_path)] == ["a", "b"]


def test_an_empty_folder_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="holds no labelled answers"):
        list(read_labelled(tmp_path))
