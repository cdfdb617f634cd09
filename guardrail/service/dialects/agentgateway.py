"""The webhook of agentgateway and kgateway: ``POST /request`` and ``POST /response``.

The second brings the answer only, so the passages of the first are kept and found again by the client's request id.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.service.dialects.calls import Call, CallStore, calls_of
from guardrail.service.dialects.requests import Body, guard_of, read_body
from guardrail.service.errors import Invalid, ServiceError
from guardrail.service.proxy.evidence import find_evidence
from guardrail.service.replies import json_reply
from guardrail.service.service import Service
from guardrail.types import Action, GuardedAnswer

PATH = re.compile(r"/(request|response)")
KIND = "agentgateway"
REJECTED = 403
"""Status that the client of the gateway gets for a blocked answer."""

_TRACE = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-")


class Messages(Body):
    """Messages of a prompt."""

    messages: tuple[dict[str, Any], ...]


class PromptRequest(Body):
    """The body of ``/request``; with ``message_format: raw`` the messages stand alone."""

    body: Messages | None = None
    messages: tuple[dict[str, Any], ...] | None = None


class Choice(Body):
    """One answer."""

    message: dict[str, Any]


class Choices(Body):
    """The answers of a model."""

    choices: tuple[Choice, ...]


class ResponseRequest(Body):
    """The body of ``/response``."""

    body: Choices


def routes(service: Service) -> list[Route]:
    """Both routes; the header ``x-guardrail-guard`` names the guard (an expression of the gateway can set it)."""
    calls = calls_of(service)

    async def prompt(request: Request) -> Response:
        asked = await read_body(request, PromptRequest)
        guard_of(service, request)
        raw = asked.body is None
        messages = asked.messages if asked.body is None else asked.body.messages
        if messages is None:
            raise Invalid("body.messages: Field required")
        call = Call.of(find_evidence({"messages": list(messages)}))
        joined = await _keep(calls, request.headers, call)
        said = f"{len(call.passages)} passages {'kept' if joined else 'not kept: there is no x-request-id'}"
        return json_reply({} if raw else {"action": {"reason": said}})

    async def answer(request: Request) -> Response:
        asked = await read_body(request, ResponseRequest)
        guard = guard_of(service, request)
        call = await calls.find(KIND, idents(request.headers)) or Call()
        messages = [choice.message for choice in asked.body.choices]
        texts = [m["content"] for m in messages if isinstance(m.get("content"), str) and m["content"].strip()]
        guarded = await asyncio.gather(
            *(service.run(guard, answer=text, passages=call.passages, question=call.question) for text in texts)
        )
        return json_reply(reply(messages, guarded))

    return [Route("/request", prompt, methods=["POST"]), Route("/response", answer, methods=["POST"])]


def idents(headers: Headers) -> list[str]:
    """What is the same in both calls of one request: its id, else its trace."""
    trace = _TRACE.match(headers.get("traceparent", ""))
    named = [headers.get("x-request-id"), trace[1] if trace else None]
    return [ident for ident in named if ident]


async def _keep(calls: CallStore, headers: Headers, call: Call) -> bool:
    named = idents(headers)
    if named:
        await calls.keep(KIND, named, call)
    return bool(named)


def reply(messages: Sequence[dict[str, Any]], guarded: Sequence[GuardedAnswer]) -> dict[str, Any]:
    """The response: reject where the policy blocks, mask where it changes something, else pass."""
    for each in guarded:
        if each.action is Action.BLOCK:
            reason = each.report.reason or each.report.verdict.value
            return {"action": {"body": each.text, "status_code": REJECTED, "reason": reason}}
    if all(each.text == each.report.answer for each in guarded):
        verdicts = ", ".join(each.report.verdict.value for each in guarded) or "no text to check"
        return {"action": {"reason": verdicts}}
    new = iter(guarded)
    choices = []
    for message in messages:
        content = message.get("content")
        text = next(new).text if isinstance(content, str) and content.strip() else content
        choices.append({"message": {**message, "content": text}})
    return {"action": {"body": {"choices": choices}, "reason": "what the passages do not support was changed"}}


def render_error(error: ServiceError) -> Response:
    """Anything but 200 is a failure to the gateway, which then fails closed by default."""
    return json_reply({"error": {"code": error.code, "message": error.message}}, error.status)
