"""The Browse view: recorded answers by filters, one of them whole, and what changed between two releases."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.service.studio.bodies import read_object
from guardrail.service.studio.errors import StudioError
from guardrail.service.studio.recorded.changes import Change, Compared
from guardrail.service.studio.recorded.chosen import FieldError
from guardrail.service.studio.recorded.contest import judged
from guardrail.service.studio.recorded.facets import facets
from guardrail.service.studio.recorded.file_source import FileSource
from guardrail.service.studio.recorded.listing import count_records, list_records
from guardrail.service.studio.recorded.opened import about, as_refusal, chosen_of, reply, source_of
from guardrail.service.studio.recorded.tally import tally_of
from guardrail.service.studio.studio import Studio


def routes(studio: Studio) -> list[Route]:
    """Lists, filters, one record, its check on demand, and changes."""

    async def records(request: Request) -> Response:
        return reply(await studio.run(page_of, studio, request.query_params))

    async def choices(request: Request) -> Response:
        return reply(await studio.run(choices_of, studio, request.query_params))

    async def record(request: Request) -> Response:
        return reply(await studio.run(one, studio, request.query_params.get("id", "")))

    async def check(request: Request) -> Response:
        return reply(await studio.run(check_one, studio, await read_object(request)))

    async def changed(request: Request) -> Response:
        return reply(await studio.run(changes_of, studio, request.query_params))

    return [
        Route("/api/records", records),
        Route("/api/records/choices", choices),
        Route("/api/record", record),
        Route("/api/record/check", check, methods=["POST"]),
        Route("/api/changes", changed),
    ]


def page_of(studio: Studio, query: Mapping[str, str]) -> dict[str, Any]:
    """A page of records; the first one says how many there are in all."""
    source, now = source_of(studio), time.time()
    chosen, after = chosen_of(query, now), query.get("after") or None
    limit = query.get("limit", "50")
    try:
        with source.open() as connection:
            page = list_records(
                source, connection, chosen, now,
                order=query.get("order", "worst"), after=after, limit=int(limit) if limit.isdecimal() else 0,
            )  # fmt: skip
            total = None if after or chosen.needle else count_records(connection, chosen, now)
    except FieldError as error:
        raise as_refusal(error) from error
    return {**asdict(page), "total": total, "source": about(source)}


def choices_of(studio: Studio, query: Mapping[str, str]) -> dict[str, Any]:
    """What the filters can be set to, within the times that are asked for.

    All views ask for it first, so what was counted last is kept until there is another record.
    """
    source, now = source_of(studio), time.time()
    chosen = chosen_of({name: query[name] for name in ("since", "until") if name in query}, now)
    with source.open() as connection:
        found = facets(connection, chosen, now, tally_of(source, connection, chosen, now))
    return {**asdict(found), "source": about(source)}


def one(studio: Studio, ident: str) -> dict[str, Any]:
    """One record whole."""
    source = source_of(studio)
    with source.open() as connection:
        found = source.find(connection, ident)
    if found is None:
        raise StudioError(404, f"There is no record {ident!r:.60}. It may have been deleted meanwhile.", "id")
    return found


def check_one(studio: Studio, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Check a recorded answer now: one of a file that nobody had checked is shown so from then on."""
    source = source_of(studio)
    record = one(studio, str(sent.get("id", "")))
    found = judged(record, studio.guard(_name(sent, "policy"), _name(sent, "engine")))
    if found is None or not isinstance(source, FileSource):
        raise StudioError(422, "The answers of a record store are checked already. Compare judges them anew.", "id")
    source.keep(found)
    return found


def changes_of(studio: Studio, query: Mapping[str, str]) -> dict[str, Any]:
    """What changed between two values of a label; without ``first`` and ``second`` between the newest two."""
    source, now, by = source_of(studio), time.time(), query.get("by", "release")
    chosen = chosen_of({key: value for key, value in query.items() if key != by}, now)
    try:
        with source.open() as connection:
            compared = Compared(tally_of(source, connection, chosen, now), by)
        values = compared.values()
        newest = [value.value for value in values][-2:]
        first, second = query.get("first"), query.get("second")
        if not first and not second and len(newest) == 2:
            first, second = newest
        found = compared.changes(first, second) if first and second else None
    except FieldError as error:
        raise as_refusal(error) from error
    return {
        "by": by,
        "values": [asdict(value) for value in values],
        "first": first,
        "second": second,
        "whole": None if found is None else _change(found.whole),
        "slices": [] if found is None else [_change(change) for change in found.slices],
        "compared": 0 if found is None else found.compared,
        "source": about(source),
    }


def _change(change: Change) -> dict[str, Any]:
    return {**asdict(change), "clear": change.unfaithful.clear}


def _name(sent: Mapping[str, Any], field: str) -> str | None:
    value = sent.get(field)
    if value is not None and not isinstance(value, str):
        raise StudioError(422, f"{field} must be a name.", field)
    return value or None
