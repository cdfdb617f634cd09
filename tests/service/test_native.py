"""The native API over a real socket: the JSON of the command line, single and batch."""

from __future__ import annotations

import json

import pytest

from guardrail import Guard
from guardrail.testing import FakeEngine
from guardrail.types.report_json import result_record
from tests.support.services import RIVER

WRONG = {"answer": "It is long. It is wrong.", "passages": [{"text": "It is long.", "id": "p", "title": "T"}]}


@pytest.fixture(scope="module")
def guard():
    return Guard(engine=FakeEngine(verdicts={"wrong": "contradicted"}))


def test_check_says_what_the_report_says(plain, guard):
    reply = plain.post("/v1/check", {**WRONG, "id": 7, "question": "What?"})
    report = guard.check(WRONG["answer"], WRONG["passages"], question="What?")
    assert reply.status_code == 200
    assert reply.json() == json.loads(json.dumps({"id": 7, **report.to_dict(texts=True)}))
    assert reply.headers["x-guardrail-verdict"] == "contradicted"


def test_run_says_what_the_command_line_says(plain, guard):
    reply = plain.post("/v1/run", {**WRONG, "id": "a"})
    guarded = guard.run(WRONG["answer"], WRONG["passages"])
    assert reply.json() == json.loads(json.dumps(result_record("a", guarded)))
    assert reply.headers["x-guardrail-action"] == "flag"


def test_extracted_claims_can_be_checked(plain):
    taken = plain.post("/v1/extract", {"answer": WRONG["answer"], "id": 1}).json()
    assert [claim["text"] for claim in taken["claims"]] == ["It is long.", "It is wrong."]
    checked = plain.post("/v1/check", {**WRONG, "claims": taken["claims"]}).json()
    assert [finding["verdict"] for finding in checked["findings"]] == ["supported", "contradicted"]
    assert plain.post("/v1/check", {**WRONG, "claims": []}).json()["verdict"] == "abstained"


def test_a_batch_keeps_order_and_says_of_each_what_is_wrong(plain):
    twice = [{"text": "a", "id": "x"}, {"text": "b", "id": "x"}]
    items = [{**RIVER, "id": n} for n in range(20)]
    items[3] = {"id": 3, "answer": "A."}
    items[5] = {"id": 5, "answer": "A.", "passages": twice}
    items[6] = 6
    reply = plain.post("/v1/run", {"items": items})
    results = reply.json()["results"]
    assert reply.status_code == 200
    assert [result["id"] for result in results] == [0, 1, 2, 3, 4, 5, None, *range(7, 20)]
    assert results[3]["error"] == {"code": "invalid", "message": "passages: this field is missing."}
    assert "same id 'x'" in results[5]["error"]["message"]
    assert all(result["action"] == "allow" for n, result in enumerate(results) if n not in {3, 5, 6})


def test_offsets_of_other_languages(plain):
    body = {"answer": "😀 It is wrong.", "passages": ["😀 right"]}
    spans = {
        unit: plain.post("/v1/check", {**body, "offsets": unit}).json()["findings"][0]["span"][1]
        for unit in ("code-point", "utf-16", "utf-8")
    }
    assert spans == {"code-point": 14, "utf-16": 15, "utf-8": 17}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"items": []}, "items: must be a list"),
        ({"items": [RIVER], "answer": "a", "x": 1}, "x: there is no such field"),
    ],
)
def test_what_is_wrong_with_a_batch_is_named(plain, body, said):
    reply = plain.post("/v1/check", body)
    assert reply.status_code == 422, reply.text
    assert said in reply.json()["error"]["message"]


def test_an_unknown_guard(plain):
    reply = plain.post("/v1/check", {**RIVER, "guard": "other"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found")
    assert plain.get("/v1/guards").json() == {
        "guards": [{"name": "default", "policy": "monitor", "engine": "fake", "default": True}]
    }
