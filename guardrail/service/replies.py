"""Replies in the native form, and errors in the form of the route they belong to."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from guardrail.service.errors import ServiceError

Rendering = Callable[[str, ServiceError], Response | None]
"""A path and an error to a reply in the form of that route's clients; None = the path is somebody else's."""


def json_reply(content: Any, status: int = 200) -> Response:
    """JSON, in UTF-8; NaN is refused, since it is no JSON."""
    body = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(body.encode("utf-8", "backslashreplace"), status, media_type="application/json")


def error_reply(error: ServiceError) -> Response:
    """The native form: ``{"error": {"code", "message"}}``."""
    return json_reply({"error": {"code": error.code, "message": error.message}}, error.status)


def rendered(path: str, error: ServiceError, renderings: list[Rendering]) -> Response:
    """The reply to an error in the first form that is meant for this path, with Retry-After where it helps."""
    made = (render(path, error) for render in renderings)
    reply = next((reply for reply in made if reply is not None), None) or error_reply(error)
    if error.retry_after is not None:
        reply.headers.setdefault("retry-after", str(math.ceil(error.retry_after)))
    if error.status == 401:
        reply.headers.setdefault("www-authenticate", "Bearer")
    return reply
