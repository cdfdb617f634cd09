"""The Watch view: rates over time from the record store, defined as in the Grafana dashboard."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.service.studio.recorded.chosen import FieldError
from guardrail.service.studio.recorded.opened import about, as_refusal, chosen_of, reply, source_of
from guardrail.service.studio.recorded.series import series
from guardrail.service.studio.studio import Studio


def routes(studio: Studio) -> list[Route]:
    """The charts."""

    async def watch(request: Request) -> Response:
        return reply(await studio.run(charts_of, studio, request.query_params))

    return [Route("/api/watch", watch)]


def charts_of(studio: Studio, query: Mapping[str, str]) -> dict[str, Any]:
    """Lines of the chosen records, whole and by the values of the label ``by``."""
    source, now = source_of(studio), time.time()
    chosen = chosen_of(query, now)
    try:
        with source.open() as connection:
            found = series(connection, chosen, now, query.get("by") or None, source)
    except FieldError as error:
        raise as_refusal(error) from error
    return {"series": None if found is None else asdict(found), "source": about(source)}
