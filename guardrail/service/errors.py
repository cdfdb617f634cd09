"""What a request is refused with. Each route module shows it in the form that its clients read."""

from __future__ import annotations

from guardrail.errors import GuardrailError


class ServiceError(GuardrailError):
    """A request that is not answered.

    Attributes:
        status: HTTP status.
        code: One word for programs, such as ``too_large``.
        message: What is wrong and what to do next, in words; it may reach the caller, so it holds no secret.
        retry_after: Seconds after which a new attempt makes sense; None = it does not by itself.
    """

    def __init__(self, status: int, code: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after


class Busy(ServiceError):  # noqa: N818  read as an adjective at the place where it is raised, as the next ones
    """503: the queue is full, or the request waited in it for too long."""

    def __init__(self, message: str, retry_after: float = 1.0) -> None:
        super().__init__(503, "busy", message, retry_after)


class TooLarge(ServiceError):  # noqa: N818
    """413: the body, or the number of passages or items, is over a limit."""

    def __init__(self, message: str) -> None:
        super().__init__(413, "too_large", message)


class TooMany(ServiceError):  # noqa: N818
    """429: this client has too many requests under way."""

    def __init__(self, message: str, retry_after: float = 1.0) -> None:
        super().__init__(429, "too_many_requests", message, retry_after)


class TooSlow(ServiceError):  # noqa: N818
    """408: the body did not come in time."""

    def __init__(self, message: str) -> None:
        super().__init__(408, "too_slow", message)


class Unknown(ServiceError):  # noqa: N818
    """404: there is no guard, route or thing of that name."""

    def __init__(self, message: str) -> None:
        super().__init__(404, "not_found", message)


class Invalid(ServiceError):  # noqa: N818
    """422: the request is read, and says something that cannot be checked."""

    def __init__(self, message: str) -> None:
        super().__init__(422, "invalid", message)


class Malformed(ServiceError):  # noqa: N818
    """400: the request cannot be read."""

    def __init__(self, message: str) -> None:
        super().__init__(400, "malformed", message)


class NotAllowed(ServiceError):  # noqa: N818
    """401 without a valid key, 403 where the key does not go so far."""

    def __init__(self, message: str, *, status: int = 401) -> None:
        super().__init__(status, "unauthorized" if status == 401 else "forbidden", message)
