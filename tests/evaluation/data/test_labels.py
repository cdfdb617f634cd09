"""Label files, as evaluation and calibration read them."""

from __future__ import annotations

import logging

from guardrail.evaluation import read_labelled
from guardrail.types import Verdict
from tests.support.label_files import item, said, write_labels


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
