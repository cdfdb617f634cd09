"""Azure AI Content Safety's groundedness detection: ``POST /contentsafety/text:detectGroundedness``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, Self

from pydantic import model_validator
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.policy.policy import Policy
from guardrail.service.dialects.requests import Body, faults, guard_of, read_body, share_of
from guardrail.service.errors import ServiceError
from guardrail.service.offsets import Ruler
from guardrail.service.replies import json_reply
from guardrail.service.service import Service
from guardrail.types import Action, Finding, Report, Span, Verdict

PATH = re.compile(r"/contentsafety/text:detectGroundedness")

_CODES = {
    400: "InvalidRequestBody",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    413: "RequestTooLarge",
    422: "InvalidRequestBody",
    429: "TooManyRequests",
    503: "ServerBusy",
}


class Question(Body):
    """What was asked, for the task QnA."""

    query: str


class DetectRequest(Body):
    """The body. ``domain`` and ``llmResource`` change nothing: one engine reads all domains, and asks no other model.

    ``task`` only says whether there is a question.
    """

    text: str
    groundingSources: tuple[str, ...]  # noqa: N815  its name there, as of the next ones
    task: Literal["QnA", "Summarization"] = "Summarization"
    domain: Literal["Generic", "Medical"] = "Generic"
    qna: Question | None = None
    reasoning: bool = False
    correction: bool = False

    @model_validator(mode="after")
    def _asked(self) -> Self:
        if self.task == "QnA" and self.qna is None:
            raise ValueError("the task QnA needs qna.query.")
        return self


def routes(service: Service) -> list[Route]:
    """The route, whatever its ``api-version``."""

    async def detect(request: Request) -> Response:
        asked = await read_body(request, DetectRequest)
        guard = guard_of(service, request)
        question = asked.qna.query if asked.qna is not None else None
        given: dict[str, Any] = {"answer": asked.text, "passages": asked.groundingSources, "question": question}
        if not asked.correction:
            return json_reply(reply(asked, await service.check(guard, **given)))
        policy = correcting(guard.policy.current())
        guarded = await service.run(guard, **given, policy=policy)
        return json_reply(reply(asked, guarded.original or guarded.report, guarded.text))

    return [Route("/contentsafety/text:detectGroundedness", detect, methods=["POST"])]


def correcting(policy: Policy) -> Policy:
    """The policy with which a corrected text is made: what is not supported is rewritten by the guard's rewriter.

    What cannot be rewritten so that it is supported is taken out.
    """
    rewrite = (Verdict.CONTRADICTED.value, Verdict.UNSUPPORTED.value)
    return Policy(
        name=f"{policy.name}+correction",
        threshold=policy.threshold,
        calibration=policy.calibration,
        deadline=policy.deadline,
        actions=dict.fromkeys(rewrite, Action.REWRITE) | {Verdict.UNVERIFIED.value: Action.REDACT},
        on_exhausted=Action.REDACT,
        fail="open",
    )


def reply(asked: DetectRequest, report: Report, corrected: str | None = None) -> dict[str, Any]:
    """The response. What could not be judged counts as ungrounded, and its reason says so."""
    found = faults(report)
    rulers = (("utf8", Ruler(asked.text, "utf-8")), ("utf16", Ruler(asked.text, "utf-16")))
    nothing = report.verdict is Verdict.UNVERIFIED and not found  # code only, say: the text as a whole is not judged
    details = [_detail(asked, rulers, finding.span, _reason(finding)) for finding in found]
    if nothing:
        details.append(_detail(asked, rulers, Span(0, len(asked.text)), f"Not verified: {report.reason}"))
    spans = [Span(0, len(asked.text))] if nothing else [finding.span for finding in found]
    said: dict[str, Any] = {
        "ungroundedDetected": bool(details),
        "ungroundedPercentage": share_of(spans, asked.text),
        "ungroundedDetails": details,
    }
    if corrected is not None:  # Azure's pages spell it both ways
        said |= {"correctionText": corrected, "correction Text": corrected}
    return said


def render_error(error: ServiceError) -> Response:
    """Azure's form."""
    code = _CODES.get(error.status, "InternalServerError")
    status = 400 if error.status == 422 else error.status
    response = json_reply({"error": {"code": code, "message": error.message}}, status)
    response.headers["x-ms-error-code"] = code
    return response


def _detail(asked: DetectRequest, rulers: Sequence[tuple[str, Ruler]], span: Span, reason: str) -> dict[str, Any]:
    starts = {name: ruler.at(span.start) for name, ruler in rulers} | {"codePoint": span.start}
    ends = {name: ruler.at(span.end) for name, ruler in rulers} | {"codePoint": span.end}
    return {
        "text": span.of(asked.text),
        "offset": starts,
        "length": {name: ends[name] - start for name, start in starts.items()},
        **({"reason": reason} if asked.reasoning else {}),
    }


def _reason(finding: Finding) -> str:
    verdict = "Not verified" if finding.verdict is Verdict.UNVERIFIED else finding.verdict.value.capitalize()
    return f"{verdict}: {finding.reason}" if finding.reason else f"{verdict}."
