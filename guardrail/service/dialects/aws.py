"""AWS Bedrock's ApplyGuardrail: ``POST /guardrail/{identifier}/version/{version}/apply``.

Reached by boto3 and every AWS SDK with an ``endpoint_url``, and by gateways with a Bedrock guardrail.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.guard import Guard
from guardrail.service.dialects.requests import Body, guard_of, read_body
from guardrail.service.errors import Invalid, ServiceError
from guardrail.service.replies import json_reply
from guardrail.service.service import Service
from guardrail.types import Action, GuardedAnswer, Verdict

PATH = re.compile(r"/guardrail/.+/version/[^/]+/apply")

Qualifier = Literal["grounding_source", "query", "guard_content"]

_ERRORS = {
    400: "ValidationException",
    401: "AccessDeniedException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    413: "ValidationException",
    422: "ValidationException",
    429: "ThrottlingException",
    503: "ServiceUnavailableException",
}
_STATUS = {401: 403, 413: 400, 422: 400}
"""AWS knows fewer statuses; the SDKs tell errors apart by their names."""


class TextBlock(Body):
    """A text and what it is."""

    text: str
    qualifiers: tuple[Qualifier, ...] = ()


class ContentBlock(Body):
    """A block; ``image`` is none of this service's matters, and refused rather than passed over."""

    text: TextBlock | None = None
    image: dict[str, Any] | None = None


class ApplyRequest(Body):
    """The body. ``outputScope`` changes nothing: there is one filter, and it is always told."""

    source: Literal["INPUT", "OUTPUT"]
    content: tuple[ContentBlock, ...]
    outputScope: Literal["INTERVENTIONS", "FULL"] = "INTERVENTIONS"  # noqa: N815  its name there

    def texts(self, qualifier: Qualifier) -> list[str]:
        """Texts with a qualifier; those without any are the content to guard."""
        blocks = [block.text for block in self.content if block.text is not None]
        return [b.text for b in blocks if qualifier in (b.qualifiers or ("guard_content",))]


def routes(service: Service) -> list[Route]:
    """The route. The identifier, or the last part of an ARN, names the guard; the version is not looked at."""

    async def apply(request: Request) -> Response:
        asked = await read_body(request, ApplyRequest)
        if any(block.text is None for block in asked.content):
            raise Invalid("content: this guardrail reads texts only. Leave images out.")
        guard = guard_of(service, request, request.path_params["identifier"].rpartition("/")[2])
        answers = asked.texts("guard_content")
        if not answers:
            raise Invalid("content: there is no text to guard. Send one without qualifiers, or with guard_content.")
        if asked.source == "INPUT":
            return json_reply(reply_to_input(asked))
        sources, queries = asked.texts("grounding_source"), asked.texts("query")
        guarded = await asyncio.gather(
            *(
                service.run(guard, answer=text, passages=sources, question="\n".join(queries) or None)
                for text in answers
            )
        )
        return json_reply(reply(guard, asked, guarded))

    return [Route("/guardrail/{identifier:path}/version/{version}/apply", apply, methods=["POST"])]


def reply(guard: Guard, asked: ApplyRequest, guarded: Sequence[GuardedAnswer]) -> dict[str, Any]:
    """The response to an output: one text out for each text in, where any is to be changed."""
    reports = [each.report for each in guarded]
    changed = any(each.text != each.report.answer for each in guarded)
    blocked = any(each.action is Action.BLOCK for each in guarded)
    judged = [f for r in reports for f in r.findings if f.verdict is not Verdict.UNVERIFIED]
    filters = []
    if judged:
        filters.append(
            {
                "type": "GROUNDING",
                "threshold": guard.policy.current().threshold,
                "score": round(min(f.score for f in judged), 4),
                "action": "BLOCKED" if blocked else "NONE",
                "detected": any(f.verdict is not Verdict.SUPPORTED for f in judged),
            }
        )
    assessment = {"contextualGroundingPolicy": {"filters": filters}} if filters else {}
    said = {
        "action": "GUARDRAIL_INTERVENED" if changed or blocked else "NONE",
        "outputs": [{"text": each.text} for each in guarded] if changed or blocked else [],
        "assessments": [assessment] if assessment else [],
        "usage": _NO_USAGE,
        "guardrailCoverage": _coverage(asked, sum(len(r.answer) for r in reports)),
    }
    reason = _reason(guarded)
    return {**said, "actionReason": reason} if reason else said


def reply_to_input(asked: ApplyRequest) -> dict[str, Any]:
    """The response to an input: it is generated by a person, so there is nothing to ground."""
    return {
        "action": "NONE",
        "outputs": [],
        "assessments": [],
        "usage": _NO_USAGE,
        "guardrailCoverage": _coverage(asked, 0),
    }


def render_error(error: ServiceError) -> Response:
    """AWS's form, by which botocore names the exception."""
    kind = _ERRORS.get(error.status, "InternalServerException")
    response = json_reply({"message": error.message}, _STATUS.get(error.status, error.status))
    response.headers["x-amzn-errortype"] = kind
    return response


_NO_USAGE = dict.fromkeys(
    (
        "topicPolicyUnits",
        "contentPolicyUnits",
        "wordPolicyUnits",
        "sensitiveInformationPolicyUnits",
        "sensitiveInformationPolicyFreeUnits",
        "contextualGroundingPolicyUnits",
    ),
    0,
)
"""Units that AWS bills. Nothing is billed here, and the SDKs demand the numbers."""


def _coverage(asked: ApplyRequest, guarded: int) -> dict[str, Any]:
    """Characters that were checked, of all that came."""
    total = sum(len(block.text.text) for block in asked.content if block.text is not None)
    return {"textCharacters": {"guarded": guarded, "total": total}}


def _reason(guarded: Sequence[GuardedAnswer]) -> str:
    """Why there is no score, or why it was changed, in a few words."""
    reasons = [
        f"{each.report.verdict.value}: {each.report.reason}" if each.report.reason else each.report.verdict.value
        for each in guarded
        if each.action.severity > Action.FLAG.severity or each.report.verdict is Verdict.UNVERIFIED
    ]
    return "; ".join(dict.fromkeys(reasons))
