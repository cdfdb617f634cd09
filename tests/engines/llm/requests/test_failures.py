"""What vendors' errors mean."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from guardrail.engines.llm.requests.failures import failure, retry_after


def test_retry_after_in_all_its_forms():
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert retry_after({"Retry-After": "2.5"}) == 2.5
    assert retry_after({"retry-after-ms": "1500", "Retry-After": "9"}) == 1.5
    assert 28 < retry_after({"Retry-After": soon}) <= 30
    assert retry_after({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0
    for nonsense in (
        {},
        {"Retry-After": "soon"},
        {"Retry-After": "-1"},
        {"Retry-After": "nan"},
        {"Retry-After": "1e999"},
    ):
        assert retry_after(nonsense) is None


def test_errors_of_other_vendors():
    class Response:
        status_code = 503
        headers = {"Retry-After": "4"}  # noqa: RUF012

    class VendorError(Exception):
        response = Response()

    class ResourceExhaustedError(Exception):
        code = 429

    class ThrottlingError(Exception):
        response = {"ResponseMetadata": {"HTTPStatusCode": 400}}  # noqa: RUF012

    class ReadTimeout(Exception):  # noqa: N818  httpx's name
        pass

    class RefusedError(Exception):
        status_code = 403

    cases = [VendorError, ResourceExhaustedError, ThrottlingError, ReadTimeout, RefusedError, KeyError]
    got = [failure(kind("sk-secret")) for kind in cases]
    assert [e.retryable for e in got] == [True, True, False, True, False, False]
    assert got[0].retry_after == 4.0
    assert [str(e) for e in got] == [
        "VendorError (HTTP 503)",
        "ResourceExhaustedError (HTTP 429)",
        "ThrottlingError (HTTP 400)",
        "ReadTimeout",
        "RefusedError (HTTP 403)",
        "KeyError",
    ]
