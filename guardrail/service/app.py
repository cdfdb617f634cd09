"""The application: layers around the routes of all route modules."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from guardrail.service.access import Access
from guardrail.service.bodies import Bodies
from guardrail.service.door import Door
from guardrail.service.errors import ServiceError
from guardrail.service.replies import rendered
from guardrail.service.service import Service
from guardrail.service.settings import Settings

MOUNTED = (
    "guardrail.service.operations",
    "guardrail.service.native",
    "guardrail.service.studio.mount",
    "guardrail.service.dialects",
    "guardrail.service.proxy",  # last: it passes on what nobody else knows
)
"""Modules with ``routes(service) -> list[BaseRoute]``, and perhaps ``render_error(path, error) -> Response | None`` and
``open_paths(service) -> Collection[str]``: paths that need no key."""


def create_app(settings: Settings | None = None) -> Starlette:
    """The service as an ASGI application, to run or to mount into yours.

    Mounted, its lifespan is yours to run (``async with app.router.lifespan_context(app)``): it warms the engines,
    watches the settings file, and waits at the end for the checks under way.

    Args:
        settings: None = those of the environment. With ``limits.processes`` the program that starts the application
            needs ``if __name__ == "__main__":``, since they are spawned.

    Returns:
        The application; ``app.state.service`` is its Service.

    Raises:
        ConfigurationError: a guard or the record store cannot be.
        MissingExtraError: what an engine needs is not installed.
    """
    service = Service(settings or Settings.load())
    modules = _modules()
    renderings = [module.render_error for module in modules if hasattr(module, "render_error")]
    open_paths = [path for module in modules if hasattr(module, "open_paths") for path in module.open_paths(service)]

    async def refused(request: Request, error: Exception) -> Response:
        given = error if isinstance(error, ServiceError) else _of_starlette(error)
        request.scope["state"]["noted"] = {"error": given.code}
        return rendered(request.url.path, given, renderings)

    app = Starlette(
        routes=[route for module in modules for route in module.routes(service)],
        middleware=[
            Middleware(Door, service=service, renderings=renderings),
            Middleware(Access, service=service, open_paths=open_paths),
            Middleware(Bodies, service=service),
        ],
        exception_handlers={ServiceError: refused, HTTPException: refused},
        lifespan=_lifespan,
    )
    app.router.redirect_slashes = False  # a redirect would repeat the client's Host
    app.state.service = service
    return app


def _modules() -> list[ModuleType]:
    return [import_module(name) for name in MOUNTED if find_spec(name)]


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    async with app.state.service.at_work():
        yield


def _of_starlette(error: Exception) -> ServiceError:
    status = getattr(error, "status_code", 500)
    if status == 404:
        return ServiceError(404, "not_found", "There is nothing at this path. See /openapi.json.")
    if status == 405:
        return ServiceError(405, "wrong_method", "This path wants another method. See /openapi.json.")
    return ServiceError(status, "refused", str(getattr(error, "detail", "")))
