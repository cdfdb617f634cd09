"""Portkey's webhook for guardrails of one's own: ``POST /portkey``."""

from __future__ import annotations

import asyncio
import copy
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.guard import Guard
from guardrail.service.dialects.requests import Body, guard_of, read_body
from guardrail.service.errors import ServiceError
from guardrail.service.proxy.evidence import find_evidence
from guardrail.service.replies import json_reply
from guardrail.service.service import Service
from guardrail.types import Action, GuardedAnswer

PATH = re.compile(r"/portkey")

Place = tuple[dict[str, Any], str]
"""An object of the response's JSON and its key that holds a text."""


class HookRequest(Body):
    """The body."""

    eventType: Literal["beforeRequestHook", "afterRequestHook"]  # noqa: N815  its name there
    request: dict[str, Any] = Field(default_factory=dict)
    response: dict[str, Any] = Field(default_factory=dict)

    @property
    def asked(self) -> dict[str, Any]:
        """The client's request, as JSON."""
        found = self.request.get("json")
        return found if isinstance(found, dict) else {}


def routes(service: Service) -> list[Route]:
    """The route; the webhook's URL or its header ``x-guardrail-guard`` names the guard."""

    async def hook(request: Request) -> Response:
        asked = await read_body(request, HookRequest)
        guard = guard_of(service, request)
        if asked.eventType == "beforeRequestHook":
            return json_reply({"verdict": True})
        body = copy.deepcopy(asked.response.get("json"))
        places = list(answers_in(body))
        texts = [holder[key] for holder, key in places]
        loose = asked.response.get("text")
        if not texts and isinstance(loose, str) and loose.strip():
            texts = [loose]
        if not texts:
            return json_reply(reply_without_text(guard, body))
        evidence = find_evidence(asked.asked)
        guarded = await asyncio.gather(
            *(service.run(guard, answer=text, passages=evidence.passages, question=evidence.question) for text in texts)
        )
        for (holder, key), each in zip(places, guarded, strict=False):
            holder[key] = each.text
        return json_reply(reply(guarded, body if places else None))

    return [Route("/portkey", hook, methods=["POST"])]


def reply(guarded: Sequence[GuardedAnswer], body: Any) -> dict[str, Any]:
    """The response: denied where the policy blocks, with the new body where it only changes something.

    ``body`` is None where the text came alone: then it cannot be changed, and a change is a denial.
    """
    blocked = any(each.action is Action.BLOCK for each in guarded)
    changed = any(each.text != each.report.answer for each in guarded)
    said: dict[str, Any] = {
        "verdict": not blocked and (body is not None or not changed),
        "data": {"results": [each.to_dict() for each in guarded]},
    }
    if changed and said["verdict"]:
        said["transformedData"] = {"response": {"json": body}}
    return said


def reply_without_text(guard: Guard, body: Any) -> dict[str, Any]:
    """A reply of tool calls has nothing to check; one that did not come along cannot be judged, so the policy says."""
    if body:
        return {"verdict": True, "data": {"explanation": "The response holds no text to check."}}
    return {
        "verdict": guard.policy.current().fail == "open",
        "data": {"explanation": "Not verified: the response did not come along, as with streams."},
    }


def answers_in(body: Any) -> Iterator[Place]:
    """Where the texts of a response stand: chat and plain completions, OpenAI's responses, Anthropic's messages."""
    if not isinstance(body, dict):
        return
    for choice in _objects(body.get("choices")):
        message = choice.get("message")
        yield from _texts(message, "content") if isinstance(message, dict) else _texts(choice, "text")
    for item in _objects(body.get("output")):
        yield from _texts(item, "content")
    if "choices" not in body:
        yield from _texts(body, "content")


def render_error(error: ServiceError) -> Response:
    """Anything but 200 is an error to Portkey; the message stands in its log."""
    return json_reply({"verdict": False, "data": {"explanation": error.message}}, error.status)


def _texts(holder: dict[str, Any], key: str) -> Iterator[Place]:
    content = holder.get(key)
    if isinstance(content, str):
        if content.strip():
            yield holder, key
        return
    for part in _objects(content):
        if isinstance(part.get("text"), str) and part["text"].strip():
            yield part, "text"


def _objects(listed: Any) -> list[dict[str, Any]]:
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
