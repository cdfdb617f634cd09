"""Whether the service lives, whether it is ready, and its metrics."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.errors import GuardrailError
from guardrail.service.errors import ServiceError
from guardrail.service.replies import json_reply
from guardrail.service.service import Service
from guardrail.telemetry.monitor.page import CONTENT_TYPE, page


def routes(service: Service) -> list[Route]:
    """``/healthz``, ``/readyz`` and ``/metrics``."""

    async def healthz(_: Request) -> Response:
        return json_reply({"status": "ok"})

    async def readyz(_: Request) -> Response:
        said = {"status": "draining" if service.draining else "ready" if service.ready else "warming"}
        if service.reload.failure:
            said["settings"] = "the file is wrong; the former settings stay (see the log)"
        if (processes := service.processes) is not None and processes.missing:
            said["processes"] = f"{processes.missing} of {processes.count} are not up (see the log)"
            if processes.missing == processes.count and not service.draining:
                said["status"] = "warming"
        return json_reply(said, 200 if said["status"] == "ready" else 503)

    async def metrics(_: Request) -> Response:
        try:
            text = await asyncio.to_thread(page)
        except GuardrailError as error:
            raise ServiceError(501, "no_metrics", str(error)) from None
        return Response(text, headers={"content-type": CONTENT_TYPE})

    return [Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", metrics)]
