"""Errors of the API, as the page reads them."""

from __future__ import annotations

import json

import httpx
import pytest
from starlette.exceptions import HTTPException

from guardrail.errors import ConfigurationError, MissingExtraError, UsageError
from guardrail.service.errors import TooLarge
from guardrail.service.studio.errors import StudioError, as_studio_error, error_reply
from guardrail.service.studio.studio import Studio

BODY = {"answer": "A bridge opened.", "passages": ["A bridge opened."]}


def test_a_fault_says_nothing_of_texts(site_with, caplog):
    studio = Studio()

    def broken(*_):
        raise RuntimeError("a secret text")

    studio.guard = broken
    with site_with(studio) as site:
        reply = httpx.post(f"{site.origin}/api/check", json=BODY, headers=site.headers)
    assert reply.status_code == 500
    assert "secret" not in reply.text
    assert "content-security-policy" in reply.headers
    assert any("a fault of the studio" in record.message for record in caplog.records)


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (StudioError(409, "Not now.", "id"), 409, "Not now."),
        (UsageError("no such thing"), 422, "no such thing"),
        (ConfigurationError("no such policy"), 422, "no such policy"),
        (MissingExtraError("pip install it"), 422, "pip install it"),
        (TooLarge("too much"), 413, "too much"),
        (HTTPException(404, "Not Found"), 404, "There is nothing at this path."),
        (HTTPException(405, "Method Not Allowed"), 405, "This path wants another method."),
        (HTTPException(400, "Bad multipart"), 400, "Bad multipart"),
    ],
)
def test_what_goes_wrong_has_a_status_and_words(error: Exception, status: int, message: str) -> None:
    found = as_studio_error(error)
    assert (found.status, found.message) == (status, message)


def test_the_page_reads_which_field_is_meant() -> None:
    reply = error_reply(StudioError(422, "by must be a name.", "by"))
    assert reply.status_code == 422
    assert json.loads(bytes(reply.body)) == {"error": {"message": "by must be a name.", "field": "by"}}


def test_of_what_nobody_expected_the_page_hears_nothing(caplog: pytest.LogCaptureFixture) -> None:
    found = as_studio_error(RuntimeError("a secret text"))
    assert (found.status, "secret" in found.message) == (500, False)
    assert [record.getMessage() for record in caplog.records] == ["a fault of the studio: RuntimeError"]
