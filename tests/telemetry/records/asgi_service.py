"""An ASGI service whose records reach the disk only once it ends; run by uvicorn in test_asgi.py."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import asynccontextmanager
from threading import Event

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from guardrail import Guard
from guardrail.telemetry import Telemetry
from guardrail.telemetry.records import RecordStore
from guardrail.testing import FakeEngine

ending = Event()


def late(text):
    """No text goes to the disk before the service ends, and then each takes its time."""
    ending.wait()
    time.sleep(0.01)
    return text


store = RecordStore(os.environ["RECORDS_FILE"], sample=1.0, redact=late)
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


@asynccontextmanager
async def lifespan(app):
    async with store.lifespan(app):
        yield
        ending.set()


routes = [Route("/endless", endless), Route("/{number}", answer)]
app = Starlette(routes=routes, lifespan=lifespan)
