"""What an endpoint of the OpenAI protocol understands, learned from what it refuses.

Endpoints differ in three things: whether they hold replies to a JSON schema, what they call the token limit, and
whether they take a temperature and a seed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from guardrail.llm.protocol import Prompt
from guardrail.llm.schemas import schema_name, system_with_schema

Form = Literal["json_schema", "json_object", "none"]
_PLAINER: dict[Form, Form] = {"json_schema": "json_object", "json_object": "none"}
_FORM_WORDS = ("response_format", "json_schema", "json_object", "structured output", "guided", "grammar")
_LIMITS = ("max_completion_tokens", "max_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
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
                {"role": "system", "content": prompt.system if by_schema else system_with_schema(prompt)},
                {"role": "user", "content": prompt.user},
            ],
            self.limit: prompt.max_tokens,
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.seed is not None:
            body["seed"] = self.seed
        if prompt.schema is not None and by_schema:
            named = {"name": schema_name(prompt), "strict": True, "schema": dict(prompt.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif prompt.schema is not None and self.form == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def without(self, parameter: str | None, message: str, body: dict[str, Any]) -> Dialect | None:
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
