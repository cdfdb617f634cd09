"""Interfaces of vendors that applications and gateways call already, with this service's engine behind them.

One module each, with ``PATH``, ``routes(service)`` and ``render_error(error)``. docs/service-dialects.md says which
field means what.
"""

from __future__ import annotations

import re
from re import Pattern
from typing import Protocol

from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from guardrail.service.dialects import agentgateway, aws, azure, fms, google, litellm, nemo, portkey
from guardrail.service.errors import ServiceError
from guardrail.service.service import Service


class Dialect(Protocol):
    """What each module is."""

    PATH: Pattern[str]

    def routes(self, service: Service) -> list[Route]:
        """Its routes."""
        ...

    def render_error(self, error: ServiceError) -> Response:
        """An error in the vendor's form."""
        ...


DIALECTS: tuple[Dialect, ...] = (aws, azure, google, litellm, portkey, agentgateway, fms, nemo)

_NAMED = re.compile(r"/guards/[^/]+(?=/)")


def routes(service: Service) -> list[BaseRoute]:
    """The routes of all dialects, and the same below ``/guards/{guard}`` for those with no field that names a guard."""
    found = [route for dialect in DIALECTS for route in dialect.routes(service)]
    return [*found, Mount("/guards/{guard}", routes=found)]


def render_error(path: str, error: ServiceError) -> Response | None:
    """The error in the form of the vendor whose path it is; None = no vendor's."""
    plain = _NAMED.sub("", path, count=1) if path.startswith("/guards/") else path
    return next((dialect.render_error(error) for dialect in DIALECTS if dialect.PATH.fullmatch(plain)), None)
