"""The Detectors API of FMS Guardrails Orchestrator and TrustyAI: ``POST /api/v1/text/context/doc``."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import AliasChoices, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.service.dialects.requests import Body, faults, guard_of, read_body
from guardrail.service.errors import Invalid, ServiceError
from guardrail.service.replies import json_reply
from guardrail.service.service import Service
from guardrail.types import Finding, Report, Verdict

PATH = re.compile(r"/api/v1/text/context/doc|/health")
TYPE = "groundedness"
"""The ``detection_type`` of all detections."""


class ContextRequest(Body):
    """The body. ``content`` is the answer (older versions call it ``prompt``); no ``detector_params`` are known."""

    content: str = Field(validation_alias=AliasChoices("content", "prompt"))
    context_type: Literal["url", "chunks", "document"]
    context: tuple[str, ...]


def routes(service: Service) -> list[Route]:
    """The route, and ``/health`` as the orchestrator asks for it. The header ``detector-id`` names the guard."""

    async def analyze(request: Request) -> Response:
        asked = await read_body(request, ContextRequest)
        if asked.context_type == "url":
            raise Invalid("context_type: this detector fetches no URLs. Send the texts as chunks or document.")
        guard = guard_of(service, request, request.headers.get("detector-id"))
        report = await service.check(guard, answer=asked.content, passages=asked.context)
        return json_reply(reply(report))

    async def health(_: Request) -> Response:
        return json_reply({})

    return [Route("/api/v1/text/context/doc", analyze, methods=["POST"]), Route("/health", health)]


def reply(report: Report) -> list[dict[str, Any]]:
    """One detection for each segment that is not supported; its ``detection`` is the verdict.

    ``score`` is 1 - P(supported). Of what could not be judged it is 1: the detection ``unverified`` itself is certain.
    """
    found = [_detection(finding) for finding in faults(report)]
    if not found and report.verdict is Verdict.UNVERIFIED:
        found = [
            {
                "detection": report.verdict.value,
                "detection_type": TYPE,
                "score": 1.0,
                "evidence": [{"name": "reason", "value": report.reason}],
            }
        ]
    return found


def render_error(error: ServiceError) -> Response:
    """The form of that API."""
    return json_reply({"code": error.status, "message": error.message}, error.status)


def _detection(finding: Finding) -> dict[str, Any]:
    quotes = [{"name": f"context[{int(e.passage_id) - 1}]", "value": e.quote} for e in finding.evidence]
    segment: dict[str, Any] = {"name": "segment", "value": finding.text}
    reason = [{"name": "reason", "value": finding.reason}] if finding.reason else []
    return {
        "detection": finding.verdict.value,
        "detection_type": TYPE,
        "score": 1.0 if finding.verdict is Verdict.UNVERIFIED else round(1 - finding.score, 4),
        "evidence": [segment | ({"evidence": quotes} if quotes else {}), *reason],
    }
