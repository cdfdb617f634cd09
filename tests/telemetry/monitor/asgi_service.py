"""A guarded ASGI service for test_workers.py, run by uvicorn with two workers."""

from __future__ import annotations

import os

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from guardrail import Guard
from guardrail.telemetry.monitor import serve_metrics
from guardrail.testing import FakeEngine

serve_metrics(int(os.environ["METRICS_PORT"]))
guard = Guard(engine=FakeEngine())


async def answer(request):
    """Deliver one guarded answer, and say which worker it was."""
    await guard.arun("The bridge opened in 1931.", ["The bridge opened in 1931."])
    return PlainTextResponse(str(os.getpid()))


app = Starlette(routes=[Route("/answer", answer)])
