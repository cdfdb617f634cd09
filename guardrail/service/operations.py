"""Whether the service lives, whether it is ready, and its metrics."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.service.replies import json_reply
from guardrail.service.service import Service


def routes(service: Service) -> list[Route]:
    """``/healthz`` and ``/readyz``."""

    async def healthz(_: Request) -> Response:
        return json_reply({"status": "ok"})

    async def readyz(_: Request) -> Response:
        state = "draining" if service.draining else "ready" if service.ready else "warming"
        return json_reply({"status": state}, 200 if state == "ready" else 503)

    return [Route("/healthz", healthz), Route("/readyz", readyz)]
