"""What a vendor's exception means, read from its status, headers and type name, so that no vendor is imported.

Only these reach a message: the name of the type, the HTTP status and a well-known error code. Vendors quote keys and
texts in theirs.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from guardrail.engines.llm.protocol import Completion, LLMError
from guardrail.types import Cause

_PASSING = frozenset({408, 409, 425, 429})
_PASSING_NAMES = (
    "Timeout Connect RateLimit TooManyRequests Overloaded ServiceUnavailable InternalServer Throttl ResourceExhausted "
    "DeadlineExceeded RemoteProtocol ReadError WriteError"
).split()
_LATE = frozenset({408, 504})
_LATE_NAMES = ("Timeout", "DeadlineExceeded")
_FINAL_CODES = ("insufficient_quota", "billing_hard_limit_reached", "content_filter", "context_length_exceeded")
_CODES = (*_FINAL_CODES, "model_not_found", "invalid_api_key", "rate_limit_exceeded", "unsupported_parameter")


def failure(error: Exception, *, spent: Completion | None = None) -> LLMError:
    """The error as ours.

    Rate limits, conflicts, time-outs, broken connections and server errors may pass; the rest will not.
    """
    if isinstance(error, LLMError):
        return error
    status, code = status_of(error), _code(error)
    facts = [str(fact) for fact in (status and f"HTTP {status}", code) if fact]
    message = type(error).__name__ + (f" ({', '.join(facts)})" if facts else "")
    return LLMError(
        message,
        retryable=_may_pass(error, status, code),
        retry_after=retry_after(_headers(error)),
        spent=spent,
        status=status,
        cause=_cause(error, status, code),
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait: ``retry-after-ms``, or ``Retry-After`` as seconds or as a date."""
    lower = {str(name).lower(): str(value) for name, value in headers.items()}
    milliseconds = _number(lower.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = lower.get("retry-after")
    seconds = _number(asked)
    if seconds is None and asked is not None:
        try:
            seconds = max(0.0, parsedate_to_datetime(asked).timestamp() - time.time())
        except (ValueError, OverflowError):
            return None
    return seconds


def mentions(error: Exception, word: str) -> bool:
    """Whether the endpoint refused a request (400, 422) and speaks of ``word``."""
    return status_of(error) in {400, 422} and word in str(error).lower()


def _may_pass(error: Exception, status: int | None, code: str | None) -> bool:
    if code in _FINAL_CODES:
        return False
    if status is not None:
        return status in _PASSING or 500 <= status < 600
    if isinstance(error, (TimeoutError, ConnectionError)):
        return True
    return _named(error, _PASSING_NAMES)


def _cause(error: Exception, status: int | None, code: str | None) -> Cause:
    if code == "content_filter":
        return Cause.REPLY
    late = status in _LATE if status is not None else isinstance(error, TimeoutError) or _named(error, _LATE_NAMES)
    return Cause.TIMEOUT if late else Cause.ENGINE


def _named(error: Exception, parts: Iterable[str]) -> bool:
    return any(part in kind.__name__ for kind in type(error).__mro__ for part in parts)


def status_of(error: Exception) -> int | None:
    """The HTTP status that an exception carries."""
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):  # botocore
        found: Any = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        return found if isinstance(found, int) else None
    for owner, name in ((error, "status_code"), (error, "http_status"), (error, "code"), (response, "status_code")):
        found = getattr(owner, name, None)
        if isinstance(found, int) and 100 <= found < 600:
            return int(found)
    return None


def _code(error: Exception) -> str | None:
    code = getattr(error, "code", None)
    kind = getattr(error, "type", None)
    return next((each for each in (code, kind) if isinstance(each, str) and each in _CODES), None)


def _headers(error: Exception) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None)
    return headers if isinstance(headers, Mapping) else {}


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
