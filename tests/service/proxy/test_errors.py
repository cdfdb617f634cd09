"""Errors as clients of the OpenAI protocol read them."""

from __future__ import annotations

import pytest

from guardrail.service.errors import Busy, Invalid, Malformed, NotAllowed, ServiceError, TooLarge, TooMany, Unknown
from guardrail.service.proxy import render_error
from guardrail.service.proxy.errors import error_body


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Malformed("m"), "invalid_request_error"),
        (NotAllowed("m"), "authentication_error"),
        (NotAllowed("m", status=403), "permission_error"),
        (Unknown("m"), "not_found_error"),
        (TooLarge("m"), "invalid_request_error"),
        (Invalid("m"), "invalid_request_error"),
        (TooMany("m"), "rate_limit_error"),
        (Busy("m"), "server_error"),
        (ServiceError(415, "c", "m"), "invalid_request_error"),
        (ServiceError(599, "c", "m"), "server_error"),
    ],
)
def test_the_kind_is_that_of_the_status(error: ServiceError, kind: str) -> None:
    assert error_body(error) == {"error": {"message": "m", "type": kind, "param": None, "code": error.code}}


@pytest.mark.parametrize(
    ("path", "ours"),
    [
        ("/v1/chat/completions", True),
        ("/v1/models/m", True),
        ("/mounted/v1/responses", True),
        ("/v1/check", False),
        ("/v1", False),
        ("/chat/completions", False),
    ],
)
def test_errors_have_that_form_below_the_paths_of_the_protocol_only(path: str, ours: bool) -> None:
    reply = render_error(path, Unknown("m"))
    assert (reply is not None and reply.status_code == 404) == ours
