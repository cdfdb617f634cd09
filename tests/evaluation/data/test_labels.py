"""Label files, as evaluation and calibration read them."""

from __future__ import annotations

import json
import logging

import pytest

from guardrail.evaluation import read_labelled
from guardrail.evaluation.data.label_rows import item_row, label_row, read_item, read_label
from guardrail.evaluation.data.rows import BadRow, RowError
from guardrail.types import ErrorType, Span, Verdict
from tests.support.label_files import item, said, write_labels


def test_lines_are_read_as_they_were_written():
    label = said("k", "s2", "contradicted", error_type=ErrorType.CONTRADICTION, error_spans=(Span(42, 46),),
                 evidence=((0, Span(0, 5)),), undoes="j")  # fmt: skip
    assert read_item(json.loads(json.dumps(item_row(item())))) == item()
    assert read_label(json.loads(json.dumps(label_row(label))), {"a": item()}) == label


def test_one_labelled_answer_each_whatever_was_changed_meanwhile(tmp_path):
    path = write_labels(
        tmp_path / "bridge.labels.jsonl",
        [
            item("a"), said("1", "s1", "contradicted"), said("2", "s1", "supported"), said("3", "s2", "supported"),
            item("b"), said("4", "s1", "unsupported", of="b"),
            item("c"), said("5", "s1", "supported", of="c"),
        ],
    )  # fmt: skip
    found = list(read_labelled(path))
    assert [(one.id, one.label) for one in found] == [("a", Verdict.SUPPORTED), ("b", Verdict.UNSUPPORTED)]
    assert found[0].dataset == "bridge.labels"
    assert not found[0].claim


def test_it_is_said_where_people_differ_and_where_answers_were_picked(tmp_path, caplog):
    path = write_labels(
        tmp_path / "x.jsonl",
        [
            item("a"), said("1", "s1", "contradicted"),
            item("b", "worst"), said("2", "s1", "contradicted", of="b"),
            item("c"), said("3", "s1", "contradicted", of="c"), said("4", "", "supported", of="c", by="Bo"),
        ],
    )  # fmt: skip
    with caplog.at_level(logging.WARNING):
        assert [one.id for one in read_labelled(path)] == ["a", "b"]
    assert "1 answers left out: people differ" in caplog.text
    assert "only 1 of 2 labelled answers were drawn at random" in caplog.text


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
