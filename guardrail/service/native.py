"""The native API: /v1/check, /v1/run and /v1/extract, single and batch, with the JSON of the command line."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.check.answer_lines import ClaimsRecord, Line, Record, extract_record
from guardrail.guard import Guard
from guardrail.service.errors import Invalid, ServiceError, TooLarge
from guardrail.service.native_models import (
    CheckItem,
    CheckRequest,
    ExtractItem,
    ExtractRequest,
)
from guardrail.service.offsets import Unit, in_units
from guardrail.service.openapi import document
from guardrail.service.reading import read_as, read_json
from guardrail.service.replies import json_reply
from guardrail.service.service import Service
from guardrail.types import Report

_AT_ONCE = 8
"""Items of one batch that wait or run at once: a batch must not fill the queue."""


class _Way(NamedTuple):
    """One of the three things to do with an answer."""

    request: type[CheckRequest | ExtractRequest]
    item: type[CheckItem | ExtractItem]
    do: Callable[[Service, Guard, Any, Unit], Awaitable[dict[str, Any]]]


async def _check(service: Service, guard: Guard, item: CheckItem, unit: Unit) -> dict[str, Any]:
    report = await service.check(guard, **_asked(item))
    return {"id": item.id, **in_units(report.to_dict(texts=True), report.answer, _texts(report), unit)}


async def _run(service: Service, guard: Guard, item: CheckItem, unit: Unit) -> dict[str, Any]:
    guarded = await service.run(guard, **_asked(item))
    report = guarded.report
    return {"id": item.id, **in_units(guarded.to_dict(texts=True), report.answer, _texts(report), unit)}


async def _extract(service: Service, guard: Guard, item: ExtractItem, unit: Unit) -> dict[str, Any]:
    draft = await service.extract(guard, answer=item.answer, question=item.question)
    record = Record.model_validate(item.model_dump(include=Record.model_fields.keys() & item.model_fields_set))
    return in_units(extract_record(Line(1, record, ident=item.id), draft), item.answer, {}, unit)


WAYS = {
    "/v1/check": _Way(CheckRequest, CheckItem, _check),
    "/v1/run": _Way(CheckRequest, CheckItem, _run),
    "/v1/extract": _Way(ExtractRequest, ExtractItem, _extract),
}


def routes(service: Service) -> list[Route]:
    """The three ways, the list of guards, and their description."""
    described = json_reply(document()).body

    async def openapi(_: Request) -> Response:
        return Response(bytes(described), media_type="application/json")

    async def guards(_: Request) -> Response:
        return json_reply({"guards": [_guard(service, name) for name in service.guard_names]})

    return [
        *(Route(path, _endpoint(service, way), methods=["POST"], name=path) for path, way in WAYS.items()),
        Route("/v1/guards", guards),
        Route("/openapi.json", openapi),
    ]


def _endpoint(service: Service, way: _Way) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        began = time.monotonic()
        raw = _json_body(request, await request.body())
        if "items" not in raw:
            read = read_as(way.request, raw)
            guard = service.guard(read.guard)
            result = await way.do(service, guard, read, read.offsets)
            shown: dict[str, str] = {key: str(result[key]) for key in ("verdict", "action") if key in result}
            name = read.guard or service.settings.default_guard
            request.scope["state"]["noted"] = {"guard": name, **shown}
            reply = json_reply(result)
            for key, value in shown.items():
                reply.headers[f"x-guardrail-{key}"] = value
        else:
            reply = json_reply({"results": await _batch(service, way, raw)})
        reply.headers["x-guardrail-ms"] = str(round((time.monotonic() - began) * 1_000))
        return reply

    return answer


async def _batch(service: Service, way: _Way, raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A result or an error for each item, in order.

    Raises:
        ServiceError: the request as a whole is not answered, as where the queue is full.
    """
    items, most = raw["items"], service.settings.limits.batch
    if not isinstance(items, list) or not items:
        raise Invalid("items: must be a list of at least one item.")
    if len(items) > most:
        raise TooLarge(f"{len(items)} items, and the limit is {most}. Send them in several requests.")
    # The options are read as those of a single request, so that both know the same ones.
    blank: dict[str, Any] = {"answer": "", "passages": []} if way.item is CheckItem else {"answer": ""}
    options = read_as(way.request, {**{key: value for key, value in raw.items() if key != "items"}, **blank})
    guard, free = service.guard(options.guard), asyncio.Semaphore(_AT_ONCE)

    async def one(item: object) -> dict[str, Any]:
        async with free:
            try:
                return await way.do(service, guard, read_as(way.item, item), options.offsets)
            except (Invalid, TooLarge) as error:
                given = item.get("id") if isinstance(item, dict) else None
                ident = given if isinstance(given, (str, int)) else None
                return {"id": ident, "error": {"code": error.code, "message": error.message}}

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(item)) for item in items]
    except* ServiceError as several:
        raise _first_of(several) from None
    return [task.result() for task in tasks]


def _first_of(several: BaseExceptionGroup[ServiceError]) -> ServiceError:
    first = several.exceptions[0]
    return first if isinstance(first, ServiceError) else _first_of(first)


def _json_body(request: Request, body: bytes) -> dict[str, Any]:
    """The body, which must say that it is JSON: a web page of strangers cannot say so without being asked about."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise ServiceError(415, "unsupported_type", "Send the body as JSON, with `Content-Type: application/json`.")
    return read_json(body)


def _asked(item: CheckItem) -> dict[str, Any]:
    """What ``Service.check`` and ``Service.run`` are given."""
    given: dict[str, Any] = {"answer": item.answer, "passages": item.passages, "question": item.question}
    record = Record(**given) if item.claims is None else ClaimsRecord(**given, claims=item.claims)
    return {
        "answer": record.answer,
        "passages": record.to_passages(),
        "question": record.question,
        "claims": record.to_claims(),
    }


def _texts(report: Report) -> dict[str, str]:
    return {passage.id: passage.text for passage in report.passages}


def _guard(service: Service, name: str) -> dict[str, Any]:
    guard = service.guard(name)
    return {
        "name": name,
        "policy": guard.policy.current().name,
        "engine": guard.judge.name,
        "default": name == service.settings.default_guard,
    }
