"""LiteLLM's generic guardrail API: ``POST /beta/litellm_basic_guardrail_api``.

Its calls about answers bring the text only, so the passages of the call about the request are kept and found again by
LiteLLM's call id. Streams are sampled: each sample holds all that has come of the answer.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.check.intake import read_passages
from guardrail.errors import UsageError
from guardrail.service.dialects.answers import Answers
from guardrail.service.dialects.calls import Call, calls_of
from guardrail.service.dialects.requests import Body, guard_of, read_body
from guardrail.service.errors import Invalid, ServiceError, TooLarge
from guardrail.service.proxy.evidence import find_evidence
from guardrail.service.replies import json_reply
from guardrail.service.service import Service
from guardrail.streaming.growing import Grown

PATH = re.compile(r"/beta/litellm_basic_guardrail_api")
KIND = "litellm"


class GuardrailRequest(Body):
    """The body; what else LiteLLM sends (headers, users, tools) is not looked at."""

    input_type: Literal["request", "response"]
    texts: tuple[str, ...] | None = None
    structured_messages: tuple[dict[str, Any], ...] | None = None
    litellm_call_id: str | None = None
    litellm_trace_id: str | None = None
    additional_provider_specific_params: dict[str, Any] | None = None

    @property
    def idents(self) -> list[str]:
        """What is the same in all calls about one answer: the call's id, else the trace's."""
        return [ident for ident in (self.litellm_call_id, self.litellm_trace_id) if ident]

    @property
    def params(self) -> dict[str, Any]:
        """Our own: ``guard``, ``passages``, ``question``; of LiteLLM's config or of one request."""
        return self.additional_provider_specific_params or {}


def routes(service: Service) -> list[Route]:
    """The route. ``additional_provider_specific_params.guard`` names the guard."""
    calls = calls_of(service)
    answers = Answers(service, calls, KIND)
    service.closing.insert(0, answers.close)  # before the file that it asks is closed

    async def apply(request: Request) -> Response:
        asked = await read_body(request, GuardrailRequest)
        guard = guard_of(service, request, _str(asked.params, "guard"))
        if asked.input_type == "request":
            call = call_in(asked)
            if asked.idents:
                await calls.keep(KIND, asked.idents, call)
            return json_reply({"action": "NONE"})
        call = Call(given_passages(asked), _str(asked.params, "question"))
        if not call.passages:
            call = await calls.find(KIND, asked.idents) or call
        if len(call.passages) > service.settings.limits.passages:
            raise TooLarge(f"{len(call.passages)} passages, and the limit is {service.settings.limits.passages}.")
        texts = asked.texts or ()
        grown = await asyncio.gather(
            *(answers.sampled(guard, asked.litellm_call_id, number, text, call) for number, text in enumerate(texts))
        )
        return json_reply(reply(texts, grown))

    return [Route("/beta/litellm_basic_guardrail_api", apply, methods=["POST"])]


def reply(texts: Sequence[str], grown: Sequence[Grown]) -> dict[str, Any]:
    """The response about answers; ``texts`` are one for one with those that came.

    ``stream_holdback_chars``: what is not settled yet, so that LiteLLM keeps it until the next sample.
    """
    for each in grown:
        if each.blocked:
            return {"action": "BLOCKED", "blocked_reason": each.guarded.text}
    holdback = {"stream_holdback_chars": [len(each.text) - each.settled for each in grown]} if grown else {}
    if all(each.text == text for each, text in zip(grown, texts, strict=True)):
        return {"action": "NONE", **holdback}
    return {"action": "GUARDRAIL_INTERVENED", "texts": [each.text for each in grown], **holdback}


def call_in(asked: GuardrailRequest) -> Call:
    """What a request brings: our own parameters, else what the resolver finds in its messages."""
    messages = list(asked.structured_messages or ({"role": "user", "content": text} for text in asked.texts or ()))
    evidence = find_evidence({"messages": messages})
    given = given_passages(asked)
    return Call(given or evidence.passages, _str(asked.params, "question") or evidence.question)


def given_passages(asked: GuardrailRequest) -> tuple[Any, ...]:
    """``passages`` among the parameters.

    Raises:
        Invalid: they are none.
    """
    given = asked.params.get("passages")
    if given is None:
        return ()
    try:
        return read_passages(given)
    except UsageError as error:
        raise Invalid(f"additional_provider_specific_params.passages: {error}") from None


def render_error(error: ServiceError) -> Response:
    """LiteLLM looks at the status only: 502 to 504 are "unreachable", which it can be told to pass."""
    return json_reply({"error": {"code": error.code, "message": error.message}}, error.status)


def _str(params: dict[str, Any], key: str) -> str | None:
    value = params.get(key)
    if value is not None and not isinstance(value, str):
        raise Invalid(f"additional_provider_specific_params.{key} must be a text, got {type(value).__name__}.")
    return value
