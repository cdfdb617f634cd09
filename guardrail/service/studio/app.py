"""The studio as an ASGI application: the page's files, the API of each view, and who may use them."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from importlib.util import find_spec

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from guardrail.errors import GuardrailError
from guardrail.service.access import LOOPBACK
from guardrail.service.studio import files
from guardrail.service.studio.access import Access, new_token
from guardrail.service.studio.errors import refused
from guardrail.service.studio.studio import Studio

MOUNTED = tuple(
    f"guardrail.service.studio.{name}" for name in ("check", "browse", "watch", "compare", "label", "thresholds")
)
"""Modules with ``routes(studio) -> list[Route]``, whose paths begin with ``/api/``."""


def create_app(studio: Studio, *, hosts: Collection[str] = LOOPBACK, checks_token: bool = True) -> Starlette:
    """The studio.

    Args:
        studio: The data behind it.
        hosts: Names that requests may use for this machine, besides those of loopback.
        checks_token: False where it is mounted into an application that checks who asks.

    Returns:
        The application; ``app.state.token`` is what requests to ``/api`` send as ``x-studio-token``.
    """
    token = new_token() if checks_token else None
    app = Starlette(
        routes=[
            *(route for name in MOUNTED if find_spec(name) for route in import_module(name).routes(studio)),
            *files.routes(token=checks_token),
        ],
        middleware=[Middleware(Access, token=token, hosts=hosts)],
        exception_handlers={GuardrailError: refused, HTTPException: refused},
    )
    app.router.redirect_slashes = False  # a redirect would repeat the client's Host
    app.state.token = token
    app.state.studio = studio
    return app
