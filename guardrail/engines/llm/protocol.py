"""What the LLM engine needs of a language model: one request in, one text out. Vendors live in leaf modules."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from guardrail.errors import EngineError
from guardrail.types import Cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One request.

    ``system`` is instructions only, the same for every answer; ``user`` is fenced data (fences.py), what several
    prompts of an answer share first, so that a provider's prompt cache can hold it. ``schema`` is a JSON schema of the
    reply, None for free text; ``identity`` names the prompt file, its version and a hash of its text.
    """

    identity: str
    system: str
    user: str
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 4096

    @property
    def system_with_schema(self) -> str:
        """For models that cannot be held to a schema: the instructions, and after them the schema.

        The same for every answer, so that prompt caches hold it.
        """
        if self.schema is None:
            return self.system
        schema = json.dumps(self.schema, ensure_ascii=False, separators=(",", ":"))
        return f"{self.system}\n\nReply with one JSON object and nothing else. Its JSON schema:\n{schema}"

    @property
    def schema_name(self) -> str:
        """A name that endpoints accept, from the identity."""
        return re.sub(r"[^A-Za-z0-9_-]", "_", self.identity)[:64] or "reply"


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One reply. Token counts are the provider's, None where it gives none; ``cached_tokens`` are part of the input.

    ``cut_off``: the reply ended at the token limit. ``calls``: requests that it took, more than one where the endpoint
    first refused an option. ``price_share``: of the engine's prices, what it is charged at (a batch: 0.5).
    """

    text: str
    model: str = ""
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cut_off: bool = False
    calls: int = 1
    price_share: float = 1.0


class LLMError(EngineError):
    """A request failed. Its message reaches reports: the kind of failure and the HTTP status, never a text or a key.

    Attributes:
        retryable: Whether the same request may succeed later (rate limit, server error, broken connection).
        retry_after: Seconds that the server asked to wait, if it did.
        spent: Tokens and requests that the failure cost, where they are known (a refusal is paid for); its text is "".
        status: The HTTP status, where there was one.
        cause: See EngineError.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        retry_after: float | None = None,
        spent: Completion | None = None,
        status: int | None = None,
        cause: Cause | None = None,
    ) -> None:
        super().__init__(message, cause=cause)
        self.retryable = retryable
        self.retry_after = retry_after
        self.spent = spent
        self.status = status


@runtime_checkable
class LLM(Protocol):
    """A chat model, called from any thread, several calls at once."""

    @property
    def model(self) -> str:
        """Name of the model, for reports, traces and cache keys."""
        ...

    def complete(self, prompt: Prompt, *, timeout: float | None) -> Completion:
        """Reply to one prompt at temperature 0, once, without retries, in ``timeout`` seconds. Raises LLMError."""
        ...


@runtime_checkable
class AsyncLLM(Protocol):
    """The same for a model whose work is awaited; a model may have both."""

    @property
    def model(self) -> str:
        """See LLM.model."""
        ...

    def acomplete(self, prompt: Prompt, *, timeout: float | None) -> Awaitable[Completion]:
        """See LLM.complete."""
        ...


def provider_of(llm: LLM | AsyncLLM) -> str | None:
    """``llm.provider``, which a model may have: who serves it, as OpenTelemetry's ``gen_ai.provider.name`` has it."""
    provider = getattr(llm, "provider", None)
    return provider if isinstance(provider, str) and provider else None


Reply = Completion | LLMError
Round = tuple[Prompt, ...]
Replies = tuple[Reply, ...]

T = TypeVar("T")
Steps = Generator[Round, Replies, T]
"""Work of the engine, written once for sync and async: yields rounds of prompts, is sent what came back, in order.

Prompts of one round are at work at once (requests/calls.py performs them); an empty round is never yielded.
"""
