"""Who may come in: the name that the request uses for the service, and its key."""

from __future__ import annotations

import re
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from guardrail.service.errors import NotAllowed, ServiceError
from guardrail.service.keys import client, owner, presented
from guardrail.service.service import Service

OPEN = ("/healthz", "/readyz")
"""Paths that need no key: a probe has none, and they say nothing of anybody."""

OPERATIONS = (*OPEN, "/metrics")
"""Paths that are answered whatever else is under way."""

LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Access:
    """Requests of others are refused before their body is read."""

    def __init__(self, app: ASGIApp, service: Service, open_paths: Collection[str] = ()) -> None:
        self._app = app
        self._service = service
        self._open = frozenset((*OPEN, *open_paths))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "http":
            self._admit(scope)
        await self._app(scope, receive, send)

    def _admit(self, scope: Scope) -> None:
        settings, headers = self._service.settings, Headers(scope=scope)
        if settings.hosts is not None and _host(headers) not in settings.hosts:
            raise ServiceError(
                421, "wrong_host", "This service does not go by that name. Add it to `hosts` in its settings."
            )
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        scope["state"]["open"] = scope["method"] in ("GET", "HEAD") and path in self._open
        if scope["state"]["open"] or (path == "/metrics" and settings.open_metrics) or not settings.keys:
            return
        key = presented(headers)
        if key is None:
            raise NotAllowed("A key is needed: send `Authorization: Bearer <key>`.")
        who = owner(key, settings.keys)
        if who is None:
            raise NotAllowed("This key is not known here.")
        client.set(who)


def _host(headers: Headers) -> str:
    """The name without the port."""
    found = re.fullmatch(r"\[([0-9A-Fa-f:.]+)\](:\d+)?|([^:\[\]]*)(:\d+)?", headers.get("host", ""))
    return ((found[1] or found[3] or "") if found else "").lower()
