"""The Check view: one answer, with everything that the report and the matrix say of it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail import __version__
from guardrail.service.replies import json_reply
from guardrail.studio.studio import Studio


def routes(studio: Studio) -> list[Route]:
    """What can be chosen, the examples, and the check."""

    async def choices(_: Request) -> Response:
        return json_reply(
            {
                "engines": studio.engines,
                "policies": studio.policies,
                "source": None if studio.source is None else studio.source.name,
                "version": __version__,
            }
        )

    return [Route("/api/choices", choices)]
