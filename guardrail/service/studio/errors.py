"""Errors of the studio's API as JSON: ``{"error": {"message": ..., "field": ...}}``."""

from __future__ import annotations

import logging

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from guardrail.errors import GuardrailError, MissingExtraError, UsageError
from guardrail.service.errors import ServiceError
from guardrail.service.logs import place_of
from guardrail.service.replies import json_reply

_log = logging.getLogger("guardrail.service.studio")


class StudioError(GuardrailError):
    """A request that is not answered.

    Attributes:
        status: HTTP status.
        message: What is wrong and what to do next; the page shows it.
        field: The field of the request that is meant, if it is one.
    """

    def __init__(self, status: int, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.field = field


def error_reply(error: StudioError) -> Response:
    """The error as the page reads it."""
    return json_reply({"error": {"message": error.message, "field": error.field}}, error.status)


def refused(_: Request, error: Exception) -> Response:
    """What any exception of a route becomes; texts of unknown ones stay in this process."""
    return error_reply(as_studio_error(error))


def as_studio_error(error: Exception) -> StudioError:
    """The error with its status; one that nobody expected is logged."""
    if isinstance(error, StudioError):
        return error
    if isinstance(error, (UsageError, MissingExtraError)):
        return StudioError(422, str(error))
    if isinstance(error, ServiceError):
        return StudioError(error.status, error.message)
    if isinstance(error, HTTPException):
        said = {404: "There is nothing at this path.", 405: "This path wants another method."}
        return StudioError(error.status_code, said.get(error.status_code, error.detail))
    _log.error("a fault of the studio: %s", place_of(error), exc_info=error)
    return StudioError(500, "A fault of the studio. The terminal that it was started in says more.")
