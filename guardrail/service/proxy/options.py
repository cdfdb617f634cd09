"""The settings of the proxy: ``proxy`` in the file of the service."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from guardrail.retrieval.request.evidence import Trust

Role = Literal["system", "developer", "user"]
"""Whose words may be evidence. The assistant's never are."""


class ProxySettings(BaseModel):
    """How answers are checked on their way; see docs/service-proxy.md.

    Attributes:
        tagged_roles: Whose content parts tagged ``grounding_source`` count as passages.
        source_roles: In whose texts blocks, numbered sources and a section called Context count.
        tools: Whether results of tools count.
        without_passages: An answer of a request in which no passages were found is checked all the same, and is not
            verified, so that the policy decides (``check``), or it passes (``skip``). The reply says it in both cases.
        block: What a client gets in the place of a blocked answer. ``content_filter``: status 200, the policy's message
            as the text, and ``finish_reason: "content_filter"``. ``refusal``: status 200, no text, and the message as
            the model's refusal. ``error``: status 400, or an error event where a stream has begun.
        thoughts: Whether what a model thinks (``reasoning``, ``reasoning_content``, ...) is passed on unchecked, or
            left out of answers (``drop``). It always stays on messages that call tools.
        passes: Routes below ``/v1`` that go to the upstream without a check, as patterns (``embeddings``, ``files/*``).
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    tagged_roles: tuple[Role, ...] = ("system", "developer")
    source_roles: tuple[Role, ...] = ("system", "developer", "user")
    tools: bool = True
    without_passages: Literal["check", "skip"] = "check"
    block: Literal["content_filter", "refusal", "error"] = "content_filter"
    thoughts: Literal["drop", "pass"] = "drop"
    passes: tuple[str, ...] = Field(default=("*",))

    @property
    def trust(self) -> Trust:
        """For the evidence resolver."""
        return Trust(tagged=self.tagged_roles, sources=self.source_roles, tools=self.tools)
