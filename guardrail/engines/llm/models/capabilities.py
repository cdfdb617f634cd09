"""What an endpoint of the OpenAI protocol understands, learned from what it refuses, and what it replies.

Endpoints differ in three things: whether they hold replies to a JSON schema, what they call the token limit, and
whether they take a temperature and a seed. Replies are read without trust: servers send half ones with status 200.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from guardrail.engines.llm.protocol import Completion, LLMError, Prompt
from guardrail.engines.llm.requests.budget import read_tokens
from guardrail.types import Cause

Form = Literal["json_schema", "json_object", "none"]
_PLAINER: dict[Form, Form] = {"json_schema": "json_object", "json_object": "none"}
_FORM_WORDS = ("response_format", "json_schema", "json_object", "structured output", "guided", "grammar")
_LIMITS = ("max_completion_tokens", "max_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointCapabilities:
    """How requests are put. ``limit`` names the token limit; ``fixed``: the form of replies is not to change."""

    form: Form
    fixed: bool
    limit: str
    temperature: float | None
    seed: int | None

    def body(self, prompt: Prompt) -> dict[str, Any]:
        """The request, without the model's name."""
        by_schema = self.form == "json_schema"
        body: dict[str, Any] = {
            "messages": [
                {"role": "system", "content": prompt.system if by_schema else prompt.system_with_schema},
                {"role": "user", "content": prompt.user},
            ],
            self.limit: prompt.max_tokens,
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.seed is not None:
            body["seed"] = self.seed
        if prompt.schema is not None and by_schema:
            named = {"name": prompt.schema_name, "strict": True, "schema": dict(prompt.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif prompt.schema is not None and self.form == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def without(self, parameter: str | None, message: str, body: dict[str, Any]) -> EndpointCapabilities | None:
        """The dialect that leaves out what a refusal (400, 422) speaks of; None where it is about something else.

        Args:
            parameter: The parameter that the endpoint names, if it does.
            message: Its message; it is searched only where no parameter is named.
            body: The refused request.
        """
        about = (parameter or message).lower()
        plainer = _PLAINER.get(self.form)
        if "response_format" in body and plainer and not self.fixed and any(word in about for word in _FORM_WORDS):
            return replace(self, form=plainer)
        if self.temperature is not None and "temperature" in about:
            return replace(self, temperature=None)
        if self.seed is not None and "seed" in about:
            return replace(self, seed=None)
        if self.limit in about:
            return replace(self, limit=_LIMITS[1 - _LIMITS.index(self.limit)])
        return None


def read_reply(reply: object, calls: int) -> Completion:
    """The first choice of a chat completion.

    Args:
        reply: An object of the vendor, of which every field may be missing or of a wrong type.
        calls: Requests that it took.

    Raises:
        LLMError: a refusal, which would come again; or no choice, no text or no chat completion, which may not.
    """
    model = getattr(reply, "model", None)
    usage = read_tokens(getattr(reply, "usage", None))
    spent = Completion(text="", model=model if isinstance(model, str) else "", calls=calls, **usage)
    choices = getattr(reply, "choices", None)
    if not isinstance(choices, list):
        raise LLMError("the reply is no chat completion", retryable=True, spent=spent, cause=Cause.REPLY)
    if not choices:
        raise LLMError("the reply holds no choice", retryable=True, spent=spent, cause=Cause.REPLY)
    message = getattr(choices[0], "message", None)
    ending = getattr(choices[0], "finish_reason", None)
    refused = bool(getattr(message, "refusal", None)) or ending == "content_filter"
    return with_text(spent, getattr(message, "content", None), refused=refused, cut_off=ending == "length")


def with_text(spent: Completion, text: object, *, refused: bool, cut_off: bool) -> Completion:
    """The reply, of which ``spent`` is what it cost.

    Raises:
        LLMError: the model refused, or there is no text.
    """
    if refused:
        raise LLMError("the model refused to reply", spent=spent, cause=Cause.REPLY)
    if not isinstance(text, str) or not text.strip():
        if cut_off:  # a reasoning model may spend the whole limit on its thoughts; it would again
            raise LLMError("the reply ended at the token limit before its text", spent=spent, cause=Cause.REPLY)
        raise LLMError("the reply holds no text", retryable=True, spent=spent, cause=Cause.REPLY)
    return replace(spent, text=text, cut_off=cut_off)
