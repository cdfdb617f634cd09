"""The native API over a real socket: the JSON of the command line, single and batch."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from guardrail import Guard
from guardrail.check.report_json import result_record, summary_record
from guardrail.service.native import WAYS
from guardrail.service.openapi import document
from guardrail.testing import FakeEngine
from tests.support.services import RIVER, served

WRONG = {"answer": "It is long. It is wrong.", "passages": [{"text": "It is long.", "id": "p", "title": "T"}]}


@pytest.fixture(scope="module")
def guard():
    return Guard(engine=FakeEngine(verdicts={"wrong": "contradicted"}))


def test_check_says_what_the_report_says(plain, guard):
    reply = plain.post("/v1/check", {**WRONG, "id": 7, "question": "What?"})
    report = guard.check(WRONG["answer"], WRONG["passages"], question="What?")
    assert reply.status_code == 200
    assert reply.json() == json.loads(json.dumps({"id": 7, **summary_record(report, texts=True)}))
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
        ({}, "answer: this field is missing"),
        ({"answer": 3, "passages": []}, "answer: input should be a valid string, got int"),
        ({"answer": "a", "passages": "text"}, "passages: "),
        ({"answer": "a", "passages": [{"txt": "b"}]}, "passages.0.text: this field is missing"),
        ({"answer": "a", "pasages": []}, "pasages: there is no such field. Did you mean 'passages'?"),
        ({"answer": "a", "passages": [], "offsets": "bytes"}, "offsets: "),
        ({"items": []}, "items: must be a list"),
        ({"items": [RIVER], "answer": "a", "x": 1}, "x: there is no such field"),
    ],
)
def test_what_is_wrong_is_named(plain, body, said):
    reply = plain.post("/v1/check", body)
    assert reply.status_code == 422, reply.text
    assert said in reply.json()["error"]["message"]


def test_an_unknown_guard(plain):
    reply = plain.post("/v1/check", {**RIVER, "guard": "other"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found")
    assert plain.get("/v1/guards").json() == {
        "guards": [{"name": "default", "policy": "monitor", "engine": "fake", "default": True}]
    }


def test_replies_are_as_described(plain):
    described = plain.get("/openapi.json").json()
    assert described == json.loads(json.dumps(document()))
    for path in WAYS:
        batch = {"items": [{k: v for k, v in WRONG.items() if path != "/v1/extract" or k == "answer"}, {}]}
        single = batch["items"][0] | {"offsets": "utf-8"}
        for body in (single, batch):
            way = described["paths"][path]["post"]
            components = {"components": described["components"]}
            asked = way["requestBody"]["content"]["application/json"]["schema"]
            reply = plain.post(path, body)
            assert reply.status_code == 200
            given = way["responses"]["200"]["content"]["application/json"]["schema"]
            Draft202012Validator({**given, **components}).validate(reply.json())
            if body is single:
                Draft202012Validator({**asked, **components}).validate(body)
    error = described["components"]["schemas"]["ErrorReply"] | {"components": described["components"]}
    Draft202012Validator(error).validate(plain.post("/v1/check", {}).json())


def test_the_local_engine_end_to_end():
    with served(guards={"default": {"policy": "strict"}}) as real:
        reply = real.post("/v1/run", {**RIVER, "answer": "The bridge was opened in 1950."}).json()
    assert (reply["verdict"], reply["action"], reply["engine"]) == ("contradicted", "block", "local")
    assert reply["findings"][0]["evidence"][0]["quote"] == RIVER["passages"][0]


def test_an_engine_that_is_awaited():
    with served(guards={"default": {"engine": "python:tests.support.service_engines:awaited"}}) as one:
        assert one.post("/v1/check", WRONG).json()["verdict"] == "contradicted"
        assert one.post("/v1/run", WRONG).json()["action"] == "flag"
        assert len(one.post("/v1/extract", {"answer": "It is long."}).json()["claims"]) == 1
