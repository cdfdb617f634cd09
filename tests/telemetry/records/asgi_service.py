"""An ASGI service that records, run by uvicorn in test_asgi.py; the environment says where to and how slowly."""

from __future__ import annotations

import asyncio
import os
import time

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from guardrail import Guard
from guardrail.telemetry import Telemetry
from guardrail.telemetry.records import RecordStore
from guardrail.testing import FakeEngine


def slowly(text):
    """Each text of a record takes its time on its way to the disk."""
    time.sleep(float(os.environ["RECORDS_PAUSE"]))
    return text


store = RecordStore(os.environ["RECORDS_FILE"], sample=1.0, redact=slowly)
guard = Guard(engine=FakeEngine(), telemetry=Telemetry(recorder=store))


async def answer(request):
    """Deliver one guarded answer, and say which worker it was."""
    await guard.arun(f"Answer {request.path_params['number']}.", ["The bridge opened in 1931."])
    return PlainTextResponse(str(os.getpid()))


async def endless(request):
    """Stream an answer that has no end, and say first which worker it is."""

    async def deltas():
        while True:
            yield "The bridge opened in 1931. "
            await asyncio.sleep(0.01)

    async def texts():
        yield f"{os.getpid()}\n"
        async for event in guard.astream(deltas(), ["The bridge opened in 1931."], mode="observe"):
            yield event.text

    return StreamingResponse(texts())


routes = [Route("/endless", endless), Route("/{number}", answer)]
app = Starlette(routes=routes, lifespan=store.lifespan)
