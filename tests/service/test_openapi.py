"""The description of the native API."""

from __future__ import annotations

import json

from jsonschema import Draft202012Validator

from guardrail.service.native import WAYS
from guardrail.service.openapi import document

WRONG = {"answer": "It is long. It is wrong.", "passages": [{"text": "It is long.", "id": "p", "title": "T"}]}


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


def test_every_reference_leads_to_a_schema_and_every_schema_is_referred_to() -> None:
    page = document()
    text = json.dumps(page)
    named = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named == set(page["components"]["schemas"])


def test_probes_are_described_without_a_key_and_the_rest_with_one() -> None:
    page = document()
    open_ = {path for path, ways in page["paths"].items() for way in ways.values() if way.get("security") == []}
    assert open_ == {"/healthz", "/readyz"}
    assert {"/v1/guards", *WAYS} == set(page["paths"]) - open_
    for path in WAYS:
        assert "Retry-After" in page["paths"][path]["post"]["responses"]["503"]["headers"]
