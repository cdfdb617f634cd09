"""Errors in the form that clients of the OpenAI protocol read."""

from __future__ import annotations

from typing import Any

from guardrail.service.errors import ServiceError

_KINDS = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
          413: "invalid_request_error", 422: "invalid_request_error", 429: "rate_limit_error"}  # fmt: skip


def error_body(error: ServiceError) -> dict[str, Any]:
    """An error as the protocol words it."""
    kind = _KINDS.get(error.status, "server_error" if error.status >= 500 else "invalid_request_error")
    return {"error": {"message": error.message, "type": kind, "param": None, "code": error.code}}
