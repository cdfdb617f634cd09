"""Files of answers and reports, as other programs write them and as people spoil them."""

from __future__ import annotations

import pytest

from guardrail import Guard, Policy
from guardrail.errors import UsageError
from guardrail.service.studio.recorded.chosen import read_chosen
from guardrail.service.studio.recorded.contest import judged
from guardrail.service.studio.recorded.facets import facets
from guardrail.service.studio.recorded.tally import tally
from tests.service.studio.recorded.conftest import NOW, PASSAGE, listed, one, row


def test_answers_that_nobody_checked(file):
    source = file(row(), row(id=7, passages=[{"id": 3, "text": PASSAGE, "title": "Dam"}]), row(id=None), row())
    shown = listed(source, order="newest")
    assert [record["id"] for record in shown] == ["a (row 4)", "row 3", "7", "a"]
    assert {record["verdict"] for record in shown} == {"unchecked"}
    assert shown[0]["fault"] is None
    assert one(source, "7")["passages"] == [{"id": "3", "title": "Dam", "text": PASSAGE}]
    assert one(source, "a")["missing"] is None
    assert one(source, "b") is None
    assert [record["id"] for record in listed(source, {"verdict": "unchecked", "text": "OSLO"})] == [
        record["id"] for record in listed(source)
    ]


def test_an_answer_checked_on_demand_is_shown_so_from_then_on(file):
    source = file(row(), row(id="b"))
    found = judged(one(source, "a"), Guard(policy=Policy.strict()))
    source.keep(found)
    again = one(source, "a")
    assert again["verdict"] in ("contradicted", "unsupported")
    assert again["findings"][1]["evidence"]
    assert (again["question"], again["passages"][0]["text"]) == ("When?", PASSAGE)
    assert [record["id"] for record in listed(source)] == ["a", "b"]
    assert [record["id"] for record in listed(source, {"verdict": "unchecked"})] == ["b"]
    with source.open() as connection:
        counted = tally(connection, read_chosen({}, NOW), NOW)
        assert dict(facets(connection, read_chosen({}, NOW), NOW, counted).values["verdict"])["unchecked"] == 1
    with pytest.raises(UsageError, match="no answer 'z'"):
        source.keep({**found, "id": "z"})


def test_many_wrong_rows_are_counted_but_not_all_named(file):
    source = file(row(), *["{"] * 500)
    assert len(listed(source)) == 1
    assert source.wrong == 500
    assert len(source.skipped) == 20


def test_a_row_whose_place_moved_meanwhile_is_said(file, tmp_path):
    source = file(row(), row(id="b"))
    listed(source)
    (tmp_path / "answers.jsonl").write_text("xxxxxx\n")
    with pytest.raises(UsageError):
        one(source, "a")
