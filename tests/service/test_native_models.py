"""Requests and replies of the native API: what is read, and that replies are as described."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from guardrail.service.native_models import (
    CheckBatch,
    CheckReply,
    CheckRequest,
    ExtractReply,
    ExtractRequest,
    GuardsReply,
    RunReply,
    StatusReply,
    schema_of,
)


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"answer": "a", "passages": [], "id": 1.5}, "id"),
        ({"answer": "a", "passages": [], "offsets": "utf-32"}, "offsets"),
        ({"answer": b"a", "passages": []}, "answer"),
        ({"answer": "a", "passages": {}}, "passages"),
        ({"answer": "a", "passages": [], "claims": "all"}, "claims"),
        ({"answer": "a", "passages": [], "thresold": 0.5}, "thresold"),
    ],
)
def test_nothing_is_turned_into_another_type_and_no_field_is_let_through(given: dict[str, Any], where: str) -> None:
    with pytest.raises(ValidationError) as refused:
        CheckRequest.model_validate(given)
    assert {error["loc"][0] for error in refused.value.errors()} == {where}


def test_claims_come_as_texts_triplets_or_as_extract_gives_them() -> None:
    claims = ["It is long.", ["bridge", "is", "long"], {"id": "c1", "text": "It is long.", "span": [0, 11]}]
    read = CheckRequest.model_validate({"answer": "It is long.", "passages": ["p"], "claims": claims})
    assert read.claims is not None
    assert read.claims[:2] == claims[:2]
    assert (read.offsets, read.guard) == ("code-point", None)


def test_an_empty_batch_and_passages_to_take_apart_are_refused() -> None:
    with pytest.raises(ValidationError, match="items"):
        CheckBatch.model_validate({"items": []})
    with pytest.raises(ValidationError, match="passages"):
        ExtractRequest.model_validate({"answer": "a", "passages": []})


def test_replies_hold_what_the_models_say_and_nothing_else(plain: Any) -> None:
    body = {"answer": "It is long. It is wrong. Hello!", "passages": [{"text": "It is long.", "id": "p"}], "id": 7}
    claims = plain.post("/v1/extract", {"answer": body["answer"]}).json()
    assert len(ExtractReply.model_validate(claims).claims) >= 2
    checked = plain.post("/v1/check", {**body, "claims": claims["claims"]}).json()
    assert CheckReply.model_validate(checked).claims[0].verdict == "supported"
    assert RunReply.model_validate(plain.post("/v1/run", body).json()).action == "flag"
    assert GuardsReply.model_validate(plain.get("/v1/guards").json()).guards[0].default is True
    assert StatusReply.model_validate(plain.get("/readyz").json()).status == "ready"
    with pytest.raises(ValidationError, match="surprise"):
        CheckReply.model_validate({**checked, "surprise": 1})


def test_references_lead_into_the_components_of_the_page() -> None:
    schema = schema_of(CheckBatch, "validation")
    assert schema["properties"]["items"]["items"] == {"$ref": "#/components/schemas/CheckItem"}
    assert "CheckItem" in schema["$defs"]
