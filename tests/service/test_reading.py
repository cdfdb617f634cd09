"""Bodies in JSON made into models."""

from __future__ import annotations

import pytest

from guardrail.service.errors import Invalid, Malformed
from guardrail.service.native_models import CheckRequest
from guardrail.service.reading import read_as, read_json


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "answer: this field is missing"),
        ({"answer": 3, "passages": []}, "answer: input should be a valid string, got int"),
        ({"answer": "a", "passages": "text"}, "passages: "),
        ({"answer": "a", "passages": [{"txt": "b"}]}, "passages.0.text: this field is missing"),
        ({"answer": "a", "pasages": []}, "pasages: there is no such field. Did you mean 'passages'?"),
        ({"answer": "a", "passages": [], "offsets": "bytes"}, "offsets: "),
    ],
)
def test_what_is_wrong_is_named(plain, body, said):
    reply = plain.post("/v1/check", body)
    assert reply.status_code == 422, reply.text
    assert said in reply.json()["error"]["message"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not valid JSON"),
        (b'{"a": Infinity}', "not valid JSON"),
        (b'{"a": 1} {"b": 2}', "not valid JSON"),
        (b"[1]", "must be a JSON object, got list"),
        (b"null", "must be a JSON object, got NoneType"),
        (b"\xff{}", "not valid JSON"),
        (b'{"a":' * 5_000, "not valid JSON"),
    ],
)
def test_what_is_no_json_object_is_said(body: bytes, said: str) -> None:
    with pytest.raises(Malformed, match=said):
        read_json(body)


def test_an_object_is_read() -> None:
    assert read_json('{"a": "é", "b": [1]}'.encode()) == {"a": "é", "b": [1]}


def test_names_of_strangers_are_cut_and_values_are_not_told() -> None:
    with pytest.raises(Invalid) as refused:
        read_as(CheckRequest, {"answer": "a", "passages": [], "x" * 5_000: "secret"})
    assert len(refused.value.message) < 400
    assert "secret" not in refused.value.message
