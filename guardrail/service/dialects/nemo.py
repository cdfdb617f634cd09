"""The NeMo Guardrails server's ``POST /v1/checks``: an answer is checked, nothing is generated."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.check.intake import PassageLike
from guardrail.service.dialects.requests import Body, guard_of, read_body
from guardrail.service.errors import Invalid, ServiceError
from guardrail.service.proxy.evidence import find_evidence
from guardrail.service.replies import json_reply
from guardrail.service.service import Service
from guardrail.types import Action, GuardedAnswer

PATH = re.compile(r"/v1/checks")
OUTPUT = "output"

_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}


class Options(Body):
    """The part that is the guardrails'. Threads, states and generation options mean nothing where nothing is kept."""

    config_id: str | None = None
    config_ids: tuple[str, ...] = ()
    context: dict[str, Any] | None = None
    rail_types: tuple[str, ...] | None = None


class ChecksRequest(Body):
    """The body; what is there for a model changes nothing."""

    messages: tuple[dict[str, Any], ...] = ()
    guardrails: Options = Options()


def routes(service: Service) -> list[Route]:
    """The route. ``config_id`` names the guard."""

    async def checks(request: Request) -> Response:
        asked = await read_body(request, ChecksRequest)
        name = _config(asked)
        guard = guard_of(service, request, name)
        if not asked.messages:
            raise Invalid("messages must be non-empty.")
        others = [kind for kind in asked.guardrails.rail_types or () if kind != OUTPUT]
        if others:
            raise Invalid(f"guardrails.rail_types: there are no rails of the type {others[0][:64]!r}, only {OUTPUT!r}.")
        last = asked.messages[-1]
        if last.get("role") != "assistant":
            if asked.guardrails.rail_types:
                raise Invalid("messages: the last one must be the assistant's, for the rail type 'output'.")
            return json_reply({"status": "passed", "content": _text(last)})
        evidence = find_evidence({"messages": list(asked.messages)})
        passages: list[PassageLike] = chunks_of(asked) or list(evidence.passages)
        guarded = await service.run(guard, answer=_text(last), passages=passages, question=evidence.question)
        return json_reply(reply(guarded, name or service.settings.default_guard))

    return [Route("/v1/checks", checks, methods=["POST"])]


def reply(guarded: GuardedAnswer, guard: str) -> dict[str, Any]:
    """The response; ``rail`` is the guard that blocked."""
    if guarded.action is Action.BLOCK:
        return {"status": "blocked", "content": guarded.text, "rail": guard}
    status = "passed" if guarded.text == guarded.report.answer else "modified"
    return {"status": status, "content": guarded.text}


def render_error(error: ServiceError) -> Response:
    """The form of that server, which is OpenAI's."""
    kind = _TYPES.get(error.status, "server_error" if error.status >= 500 else "invalid_request_error")
    said = {"message": error.message, "type": kind, "param": None, "code": error.code}
    return json_reply({"error": said}, error.status)


def chunks_of(asked: ChecksRequest) -> list[PassageLike]:
    """The passages of ``context``: ``relevant_chunks_sep``, a list, else ``relevant_chunks``.

    Raises:
        Invalid: they are no texts.
    """
    contexts = [
        m["content"] for m in asked.messages if m.get("role") == "context" and isinstance(m.get("content"), dict)
    ]
    found: list[PassageLike] = []
    for context in [*contexts, asked.guardrails.context or {}]:
        chunks = context.get("relevant_chunks_sep") or context.get("relevant_chunks") or []
        listed = [chunks] if isinstance(chunks, str) else chunks
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            raise Invalid("guardrails.context.relevant_chunks must be a text or a list of texts.")
        found += listed
    return found


def _config(asked: ChecksRequest) -> str | None:
    options = asked.guardrails
    named = {*options.config_ids, *([options.config_id] if options.config_id else [])}
    if len(named) > 1:
        raise Invalid("guardrails.config_ids: one answer is checked by one guard. Name one.")
    return next(iter(named), None)


def _text(message: dict[str, Any]) -> str:
    """The text of a message; its parts joined."""
    content = message.get("content")
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""
