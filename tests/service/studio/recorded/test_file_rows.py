"""Rows of a file, as other programs write them and as people spoil them."""

from __future__ import annotations

import json

import pytest

from guardrail import Guard, Policy
from guardrail.service.studio.recorded.file_rows import NO_ANSWER, NO_PASSAGES
from guardrail.telemetry.records.export import as_json
from guardrail.telemetry.records.store import RecordStore
from guardrail.types.report_json import result_record
from tests.service.studio.recorded.conftest import ANSWER, NOW, PASSAGE, listed, one, row
from tests.support.recorded_answers import outcome


def test_reports_of_guardrail_check(file):
    """They hold neither question nor passages; what was delivered is the answer where nothing was changed."""
    guarded = Guard(policy=Policy.monitor()).run(ANSWER, [PASSAGE])
    source = file(json.dumps(result_record("a", guarded)))
    found = one(source, "a")
    assert found["answer"] == ANSWER
    assert found["missing"] == f"{NO_ANSWER} {NO_PASSAGES}"
    passages = {passage["id"]: passage["text"] for passage in found["passages"]}
    quotes = [quote for finding in found["findings"] for quote in finding["evidence"]]
    assert quotes
    for quote in quotes:
        assert passages[quote["passage_id"]][slice(*quote["span"])] == quote["quote"]
    assert listed(source)[0]["verdict"] == guarded.report.verdict


def test_a_report_of_a_blocked_answer_shows_what_was_checked(file):
    guarded = Guard(policy=Policy.strict()).run(ANSWER, [PASSAGE])
    assert guarded.text != ANSWER
    found = one(file(json.dumps(result_record("a", guarded))), "a")
    for finding in found["findings"]:
        assert found["answer"][slice(*finding["span"])] == finding["text"]
    assert found["delivered"] == guarded.text


def test_exported_records_lose_nothing(file, tmp_path):
    with RecordStore(tmp_path / "s.db", sample=1.0, days=None) as store:
        store.record(outcome("contradicted", id="1" * 32, at=NOW - 5, labels={"release": "v1"}, trace_id="c" * 32))
        store.flush()
        store.label("1" * 32, "contradicted", by="Ana")
        exported = as_json(store.get("1" * 32))
    source = file(json.dumps(exported))
    found = one(source, "1" * 32)
    for key in ("question", "answer", "passages", "verdict", "findings", "action", "labels", "trace_id", "label"):
        assert found[key] == exported[key]
    assert found["missing"] is None
    assert len(listed(source, {"release": "v1", "since": "1h", "labelled": "yes", "text": "c" * 32})) == 1


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("{", "no JSON object"),
        ("[1]", "no JSON object"),
        ("\udcff", "no JSON object"),
        ("[" * 100_000, "no JSON object"),
        ('{"id": 1}', "neither an answer nor findings"),
        ('{"id": 1, "line": 3, "error": "has no passages"}', "error: has no passages"),
        ('{"verdict": "supported", "findings": [{"text": 1}]}', "a finding has no text"),
        ('{"verdict": "supported", "findings": ["x"]}', "a finding has no text"),
        ('{"verdict": {}, "findings": []}', "neither an answer nor findings"),
    ],
)
def test_rows_that_are_none_are_counted_and_named(file, bad, said):
    source = file(row(), bad, row(id="b"))
    assert [record["id"] for record in listed(source, order="newest")] == ["b", "a"]
    assert source.wrong == 1
    assert said in source.skipped[0]
    assert "row 2" in source.skipped[0]


@pytest.mark.parametrize(
    "spoiled",
    [
        {"at": "noon"}, {"at": float("nan")}, {"at": True}, {"labels": ["x"]}, {"labels": {"release": {"a": 1}}},
        {"question": 5}, {"passages": "text"}, {"passages": [5]}, {"passages": None}, {"passages": [{"id": []}]},
        {"weight": -3}, {"weight": "x"}, {"action": None}, {"trace_id": 5}, {"label": "perhaps"}, {"engine": ["a"]},
        {"id": "\ud800"}, {"id": "x" * 5_000}, {"id": {}}, {"findings": "none"}, {"verdict": 4},
    ],
)  # fmt: skip
def test_values_of_the_wrong_kind_do_not_keep_a_row_from_being_shown(file, spoiled):
    source = file(row(**spoiled))
    (shown,) = listed(source)
    assert one(source, shown["id"])["answer"] == ANSWER
    json.dumps(shown)
