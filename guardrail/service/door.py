"""The outermost layer: each request has an id, a reply, a line in the log and a count, whatever happens inside."""

from __future__ import annotations

import logging
import re
import secrets
import time
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from guardrail.service.access import OPERATIONS
from guardrail.service.errors import ServiceError
from guardrail.service.keys import Client, client
from guardrail.service.logs import place_of
from guardrail.service.replies import Rendering, rendered
from guardrail.service.service import Service

_log = logging.getLogger("guardrail.service.requests")
_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


class Door:
    """Errors to replies, and one line per request: never a text, a header, or a path that a client chose."""

    def __init__(self, app: ASGIApp, service: Service, renderings: list[Rendering]) -> None:
        self._app = app
        self._service = service
        self._renderings = renderings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        ident = given if _ID.fullmatch(given) else secrets.token_hex(8)
        seen: dict[str, Any] = {"status": 0}
        scope.setdefault("state", {})["request_id"] = ident
        began = time.monotonic()

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen["status"] = message["status"]
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = ident
                headers.setdefault("x-content-type-options", "nosniff")
                if self._service.draining:
                    headers["connection"] = "close"
            await send(message)

        token = client.set(Client())
        try:
            await self._app(scope, receive, sending)
        except ServiceError as error:
            seen["error"] = error.code
            await self._refuse(scope, receive, sending, error, started=bool(seen["status"]))
        except Exception as error:
            seen["error"] = place_of(error)
            internal = ServiceError(500, "internal", f"A fault of the service. Its log names it: {ident}.")
            await self._refuse(scope, receive, sending, internal, started=bool(seen["status"]))
        finally:
            seen["client"] = client.get().name
            client.reset(token)
            self._note(scope, ident, seen, time.monotonic() - began)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, error: ServiceError, *, started: bool) -> None:
        if started:  # a reply that has begun can only break off: the client must not take it for a whole one
            raise ConnectionAbortedError("the reply broke off")
        await rendered(scope["path"], error, self._renderings)(scope, receive, send)

    def _note(self, scope: Scope, ident: str, seen: dict[str, Any], seconds: float) -> None:
        route = getattr(scope.get("route"), "path", None) or "none"
        self._service.measures.request(route, seen["status"], seconds)
        level = logging.DEBUG if route in OPERATIONS else logging.ERROR if seen["status"] >= 500 else logging.INFO
        fields = {
            "request": ident,
            "method": scope["method"] if scope["method"].isalpha() else "?",
            "route": route,
            "status": seen["status"],
            "ms": round(seconds * 1_000, 1),
            "client": seen["client"],
            **({"error": seen["error"]} if "error" in seen else {}),
            **scope["state"].get("noted", {}),
        }
        _log.log(level, "request", extra={"fields": fields})
