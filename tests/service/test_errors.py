"""What a request is refused with."""

from __future__ import annotations

import pytest

from guardrail.errors import GuardrailError
from guardrail.service.errors import (
    Busy,
    Invalid,
    Malformed,
    NotAllowed,
    ServiceError,
    TooLarge,
    TooMany,
    TooSlow,
    Unknown,
)


@pytest.mark.parametrize(
    ("error", "status", "code", "again"),
    [
        (Busy("m"), 503, "busy", 1.0),
        (Busy("m", 7.5), 503, "busy", 7.5),
        (TooMany("m"), 429, "too_many_requests", 1.0),
        (TooLarge("m"), 413, "too_large", None),
        (TooSlow("m"), 408, "too_slow", None),
        (Unknown("m"), 404, "not_found", None),
        (Invalid("m"), 422, "invalid", None),
        (Malformed("m"), 400, "malformed", None),
        (NotAllowed("m"), 401, "unauthorized", None),
        (NotAllowed("m", status=403), 403, "forbidden", None),
    ],
)
def test_only_what_passes_by_itself_says_when_to_come_again(
    error: ServiceError, status: int, code: str, again: float | None
) -> None:
    assert (error.status, error.code, error.retry_after) == (status, code, again)
    assert (str(error), error.message) == ("m", "m")


def test_whoever_catches_the_errors_of_the_package_catches_these() -> None:
    with pytest.raises(GuardrailError, match="no guard"):
        raise Unknown("no guard 'x'.")
