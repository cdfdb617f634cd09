"""The studio inside the service, at ``/studio``: its page for everybody, its data for keys that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail.errors import ConfigurationError, UsageError
from guardrail.policy.keys import PRESETS
from guardrail.service.errors import NotAllowed, ServiceError, Unknown
from guardrail.service.keys import client

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Receive, Scope, Send

    from guardrail.service.service import Service
    from guardrail.service.settings import Settings
    from guardrail.service.studio.studio import Studio
    from guardrail.telemetry.records import RecordStore

PATH = "/studio"


def routes(service: Service) -> list[BaseRoute]:
    """``/studio`` and all below it, where the settings turn it on.

    Raises:
        ConfigurationError: as ``build_studio``.
    """
    studio = build_studio(service.settings, service.records)
    if studio is None:
        return []
    from starlette.responses import Response
    from starlette.routing import Mount, Route

    from guardrail.service.studio.app import create_app

    async def to_page(_: object) -> Response:
        return Response(status_code=307, headers={"location": "studio/"})  # a whole address would repeat the Host

    return [Route(PATH, to_page), Mount(PATH, app=_Named(create_app(studio, checks_token=False), service))]


def open_paths(service: Service) -> frozenset[str]:
    """The page and its files, which need no key: they say nothing of anybody. All else below ``/studio`` needs one."""
    if service.settings.studio is None:
        return frozenset()
    from guardrail.service.studio import files

    return frozenset({PATH, f"{PATH}/", *(f"{PATH}/{name}" for name in files.paths())})


def render_error(path: str, error: ServiceError) -> Response | None:
    """Errors below ``/studio`` with the headers of the page; None = the path is somebody else's."""
    if path != PATH and not path.startswith(f"{PATH}/"):
        return None
    from guardrail.service.replies import error_reply
    from guardrail.service.studio.access import PAGE_HEADERS

    reply = error_reply(error)
    reply.headers.update({**PAGE_HEADERS, "cache-control": "no-store"})
    return reply


def build_studio(settings: Settings, records: RecordStore | None) -> Studio | None:
    """The studio of the settings, over the records of the service; None = they name none.

    Policy files of the guards can be chosen, too.

    Raises:
        ConfigurationError: a policy file or the label file cannot be.
    """
    if (chosen := settings.studio) is None:
        return None
    from guardrail.service.studio.studio import Studio

    used = [guard.policy for guard in settings.guard_settings().values() if guard.policy not in PRESETS]
    try:
        return Studio(
            records,
            policies=[str(settings.folder / name) for name in dict.fromkeys((*chosen.policies, *used))],
            engines=chosen.engines,
            labels=None if chosen.labels is None else settings.folder / chosen.labels,
            policy_out=None if chosen.policy_out is None else settings.folder / chosen.policy_out,
        )
    except UsageError as error:
        raise ConfigurationError(f"studio: {error}") from None


class _Named:
    """Only keys that the settings name now come to the data: an application's key must not read recorded answers."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        settings = self._service.settings
        if settings.studio is None:
            raise Unknown("The studio was turned off.")
        if not scope["state"]["open"] and (not settings.keys or client.get().name not in settings.studio.keys):
            raise NotAllowed(
                "This key is not for the studio: `studio.keys` in the settings does not name it.", status=403
            )
        await self._app(scope, receive, send)
