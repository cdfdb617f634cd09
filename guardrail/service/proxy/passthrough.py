"""All other routes below ``/v1``: to the upstream and back, byte for byte, unchecked, and said to be so."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.routing import Match

from guardrail.service.errors import ServiceError, Unknown
from guardrail.service.proxy.delivery import stream_reply
from guardrail.service.proxy.headers import delivered_headers
from guardrail.service.proxy.upstream import Upstreams, below_v1, matches, spelled

if TYPE_CHECKING:
    from starlette.requests import Request

    from guardrail.service.service import Service


class Passing:
    """What nobody checks."""

    def __init__(self, service: Service, upstreams: Upstreams, guarded: tuple[str, ...]) -> None:
        self._service = service
        self._upstreams = upstreams
        self._guarded = guarded

    async def answer(self, request: Request) -> Response:
        """The upstream's reply.

        Raises:
            Unknown: the route is not to be passed, or is a guarded one in another spelling, which a lenient upstream
                would answer unchecked.
        """
        path = below_v1(request)
        if any(route.matches(request.scope)[0] is Match.PARTIAL for route in request.app.routes):
            raise ServiceError(405, "wrong_method", f"/v1/{path} does not take {request.method}. See /openapi.json.")
        if spelled(path) in self._guarded:
            if path in self._guarded:
                raise ServiceError(405, "wrong_method", f"/v1/{path} wants POST.")
            raise Unknown("write the path of a guarded route as it is: /v1/chat/completions or /v1/responses.")
        if not matches(path, self._service.settings.proxy.passes):
            raise Unknown("this route is not passed on. The settings name those that are: `proxy.passes`.")
        content = await request.body()
        upstream = self._upstreams.choose(request, _model(request, path, content))
        async with AsyncExitStack() as stack:
            reply = await stack.enter_async_context(
                self._upstreams.asked(upstream, request, path, content, changed=False)
            )
            headers = [*delivered_headers(reply.headers, changed=False), (b"x-guardrail-verdict", b"not_checked")]
            pieces = reply.pieces(raw=True)
            return stream_reply(reply.response.status_code, headers, pieces, stack.pop_all())


def _model(request: Request, path: str, content: bytes) -> str | None:
    """The model that a request names: in its body, or in the path of /models/NAME."""
    if path.startswith("models/"):
        return path.removeprefix("models/")
    if not request.headers.get("content-type", "").startswith("application/json"):
        return None
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return None
    model = body.get("model") if isinstance(body, dict) else None
    return model if isinstance(model, str) else None
