"""Replies in JSON, and errors in the form of the route they belong to."""

from __future__ import annotations

import json

import pytest
from starlette.responses import PlainTextResponse, Response

from guardrail.service.errors import Busy, NotAllowed, ServiceError, TooLarge
from guardrail.service.replies import error_reply, json_reply, rendered


def of_vendor(path: str, error: ServiceError) -> Response | None:
    return PlainTextResponse(error.code, 418) if path == "/vendor" else None


def of_nobody(*_: object) -> None:
    return None


@pytest.mark.parametrize("content", ["é 😀", "\u2028", {"a": [None, True, 1.5]}, [], "\x00"])
def test_what_is_replied_is_read_back(content: object) -> None:
    reply = json_reply(content, 201)
    assert json.loads(bytes(reply.body)) == content
    assert (reply.status_code, reply.headers["content-type"]) == (201, "application/json")


def test_half_of_a_surrogate_pair_is_still_a_reply() -> None:
    assert bytes(json_reply("\ud800").body) == b'"\\ud800"'


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_reply({"score": float("nan")})


def test_an_error_has_the_form_of_its_path_else_the_native_one() -> None:
    error = TooLarge("too much")
    assert rendered("/vendor", error, [of_nobody, of_vendor]).status_code == 418
    native = rendered("/v1/check", error, [of_nobody, of_vendor])
    assert native.status_code == 413
    assert native.body == error_reply(error).body
    assert json.loads(bytes(native.body)) == {"error": {"code": "too_large", "message": "too much"}}


def test_when_to_come_again_and_how_to_come_in_are_headers_in_every_form() -> None:
    assert rendered("/vendor", Busy("full", 2.1), [of_vendor]).headers["retry-after"] == "3"
    assert "retry-after" not in rendered("/v1/check", TooLarge("x"), []).headers
    assert rendered("/vendor", NotAllowed("no key"), [of_vendor]).headers["www-authenticate"] == "Bearer"
    assert "www-authenticate" not in rendered("/v1/check", NotAllowed("x", status=403), []).headers
