"""Files of answers and reports, as other programs write them and as people spoil them."""

from __future__ import annotations

import json

import pytest

from guardrail import Guard, Policy
from guardrail.check.report_json import result_record
from guardrail.errors import UsageError
from guardrail.service.studio.recorded.chosen import read_chosen
from guardrail.service.studio.recorded.contest import judged
from guardrail.service.studio.recorded.facets import facets
from guardrail.service.studio.recorded.file_rows import NO_ANSWER, NO_PASSAGES
from guardrail.service.studio.recorded.listing import list_records
from guardrail.service.studio.recorded.tally import tally
from guardrail.telemetry.records.export import as_json
from guardrail.telemetry.records.store import RecordStore
from tests.service.studio.recorded.conftest import NOW
from tests.support.recorded_answers import outcome

ANSWER = "The dam opened in 1963. It supplies Oslo."
PASSAGE = "The dam opened in 1963. It supplies Fennick."


def row(**given):
    return json.dumps({"id": "a", "question": "When?", "answer": ANSWER, "passages": [PASSAGE], **given})


def listed(source, query=None, **how):
    with source.open() as connection:
        return list_records(source, connection, read_chosen(query or {}, NOW), NOW, **how).records


def one(source, ident):
    with source.open() as connection:
        return source.find(connection, ident)


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
