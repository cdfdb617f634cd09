"""Lines of a label file: what is written is read, and what is wrong is said."""

from __future__ import annotations

import json

import pytest

from guardrail.evaluation import read_labelled
from guardrail.evaluation.data.label_rows import item_row, label_row, read_item, read_label
from guardrail.evaluation.data.rows import BadRow, RowError
from guardrail.types import ErrorType, Span
from tests.support.label_files import item, said, write_labels


def test_lines_are_read_as_they_were_written():
    label = said("k", "s2", "contradicted", error_type=ErrorType.CONTRADICTION, error_spans=(Span(42, 46),),
                 evidence=((0, Span(0, 5)),), undoes="j")  # fmt: skip
    assert read_item(json.loads(json.dumps(item_row(item())))) == item()
    assert read_label(json.loads(json.dumps(label_row(label))), {"a": item()}) == label


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"item": "z"}, "no answer of this file"),
        ({"label": "suported"}, "Did you mean 'supported'"),
        ({"segment": "s9"}, "does not have"),
        ({"label": "skipped"}, "said of a whole answer"),
        ({"label": "supported", "error_type": "contradiction"}, "an error belongs to"),
        ({"error_type": "contradicton"}, "Did you mean 'contradiction'"),
        ({"error_spans": [[0, 900]]}, "no stretch of a text"),
        ({"evidence": [{"passage": 3, "span": [0, 1]}]}, "number of a passage"),
        ({"evidence": [{"passage": 0, "span": [0, 900]}]}, "no stretch of a text"),
        ({"by": " "}, "'by' is empty"),
        ({"at": "now"}, "Unix seconds"),
    ],
)
def test_a_wrong_label_says_what_is_wrong(tmp_path, change, problem):
    row = label_row(said("k", "s2", "contradicted")) | change
    with pytest.raises(RowError, match=problem):
        read_label(row, {"a": item()})
    path = write_labels(tmp_path / "x.jsonl", [item(), said("1", "s1", "contradicted")])
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")
    bad: list[BadRow] = []
    assert len(list(read_labelled(path, on_bad=bad.append))) == 1
    assert [one.line for one in bad] == [4]


def test_a_newer_version_is_refused(tmp_path):
    path = write_labels(tmp_path / "x.jsonl", [item(), said("1", "s1", "contradicted")])
    path.write_text(path.read_text().replace('"version": 1', '"version": 2'))
    bad: list[BadRow] = []
    list(read_labelled(path, on_bad=bad.append))
    assert "version 2" in bad[0].problem
