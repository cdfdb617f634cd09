"""Bodies of requests made into models, and work that ends when whoever asked has left."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from pydantic import BaseModel
from starlette.requests import Request

from guardrail.service.errors import ServiceError
from guardrail.service.reading import read_as, read_json
from guardrail.service.studio.errors import StudioError

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")


async def read_body(request: Request, model: type[M]) -> M:
    """The body as that model.

    Raises:
        StudioError: it is no JSON, or a field is missing, unknown or of another type; the first one is named.
    """
    raw = await request.body()
    try:
        return read_as(model, read_json(raw))
    except ServiceError as error:
        field = error.message.partition(":")[0] if error.status == 422 else None
        raise StudioError(error.status, error.message, field) from None


async def read_object(request: Request) -> dict[str, Any]:
    """The JSON object that was sent.

    Raises:
        StudioError: it is none.
    """
    try:
        sent = await request.json()
    except (ValueError, RecursionError):
        sent = None
    if not isinstance(sent, dict):
        raise StudioError(400, "Send one JSON object.")
    return sent


async def unless_left(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """What ``work`` comes to; it is cancelled once the page has dropped the request (its body must be read before).

    Raises:
        StudioError: the page left; nobody reads the reply.
    """
    task, left = asyncio.ensure_future(work), asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((task, left), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise StudioError(499, "Stopped.")
    finally:
        for each in (task, left):
            each.cancel()
        await asyncio.gather(task, left, return_exceptions=True)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
