"""Google's Check Grounding: ``POST /v1/projects/{project}/locations/{location}/groundingConfigs/{config}:check``."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.service.dialects.requests import Body, guard_of, read_body
from guardrail.service.errors import ServiceError
from guardrail.service.offsets import Ruler
from guardrail.service.replies import json_reply
from guardrail.service.service import Service
from guardrail.types import Evidence, Finding, Passage, Report, Segment, Verdict

PATH = re.compile(r"/v1(alpha|beta)?/projects/[^/]+/locations/[^/]+/groundingConfigs/[^/]+:check")
DEFAULT = "default_grounding_config"

_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    413: "INVALID_ARGUMENT",
    422: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}


class Fact(Body):
    """A fact; its attributes come back as metadata, and ``title`` among them is the passage's title."""

    factText: str  # noqa: N815  its name there, as of the next ones
    attributes: dict[str, str] = Field(default_factory=dict)


class GroundingSpec(Body):
    """What to cite and to tell."""

    citationThreshold: Annotated[float, Field(ge=0, le=1)] | None = None  # noqa: N815
    enableClaimLevelScore: bool = False  # noqa: N815


class CheckRequest(Body):
    """The body. ``userLabels`` are let through and not kept."""

    answerCandidate: str  # noqa: N815
    facts: tuple[Fact, ...] = ()
    groundingSpec: GroundingSpec = GroundingSpec()  # noqa: N815

    @property
    def passages(self) -> list[Passage]:
        """The facts; their numbers are the ids."""
        return [
            Passage(text=fact.factText, id=str(number), title=fact.attributes.get("title"))
            for number, fact in enumerate(self.facts)
        ]


def routes(service: Service) -> list[Route]:
    """The route. The grounding config names the guard; ``default_grounding_config`` is the default one."""

    async def check(request: Request) -> Response:
        asked = await read_body(request, CheckRequest)
        config = request.path_params["config"]
        guard = guard_of(service, request, None if config == DEFAULT else config)
        report = await service.check(guard, answer=asked.answerCandidate, passages=asked.passages)
        return json_reply(reply(asked, report))

    where = "projects/{project}/locations/{location}/groundingConfigs/{config}:check"
    return [Route(f"/{version}/{where}", check, methods=["POST"]) for version in ("v1", "v1beta", "v1alpha")]


def reply(asked: CheckRequest, report: Report) -> dict[str, Any]:
    """The response.

    ``supportScore`` is the share of claims that the facts support; absent where none was judged. A claim is a segment;
    one that could not be judged has no score and no citation.
    """
    chunks: dict[tuple[str, str], int] = {}
    bytes_of = Ruler(asked.answerCandidate, "utf-8").at
    units: list[Finding | Segment] = sorted((*report.findings, *report.skipped), key=lambda unit: unit.span)
    claims = []
    for unit in units:
        claim: dict[str, Any] = {
            "startPos": bytes_of(unit.span.start),
            "endPos": bytes_of(unit.span.end),
            "claimText": unit.span.of(asked.answerCandidate),
            "groundingCheckRequired": isinstance(unit, Finding),
        }
        if isinstance(unit, Finding):
            cited = [chunks.setdefault((e.passage_id, e.quote), len(chunks)) for e in _cited(asked, unit)]
            claim["citationIndices"] = list(dict.fromkeys(cited))
            if asked.groundingSpec.enableClaimLevelScore and unit.verdict is not Verdict.UNVERIFIED:
                claim["score"] = round(unit.score, 4)
        claims.append(claim)
    said: dict[str, Any] = {} if (score := _support(report)) is None else {"supportScore": score}
    return {
        **said,
        "citedChunks": [_chunk(asked, number, quote) for number, quote in chunks],
        "citedFacts": [{"chunkText": quote} for _, quote in chunks],
        "claims": claims,
    }


def render_error(error: ServiceError) -> Response:
    """Google's form."""
    code = 400 if error.status == 422 else error.status
    status = _STATUSES.get(error.status, "INTERNAL")
    return json_reply({"error": {"code": code, "message": error.message, "status": status}}, code)


def _support(report: Report) -> float | None:
    """Of the claims that were judged, the share that is supported; those that were not are in ``claims``."""
    judged = [f for f in report.findings if f.verdict is not Verdict.UNVERIFIED]
    if not judged:
        return None
    return round(sum(f.verdict is Verdict.SUPPORTED for f in report.findings) / len(report.findings), 4)


def _cited(asked: CheckRequest, finding: Finding) -> tuple[Evidence, ...]:
    """Evidence of a claim that is supported, at least as much as the caller asked for."""
    least = asked.groundingSpec.citationThreshold
    if finding.verdict is not Verdict.SUPPORTED or (least is not None and finding.score < least):
        return ()
    return finding.evidence


def _chunk(asked: CheckRequest, number: str, quote: str) -> dict[str, Any]:
    fact = asked.facts[int(number)]
    metadata = {"sourceMetadata": fact.attributes} if fact.attributes else {}
    return {"chunkText": quote, "source": number, **metadata}
