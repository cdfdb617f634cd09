"""Anthropic's Messages protocol, spoken over httpx.

Source: https://platform.claude.com/docs/en/api/messages
No temperature is sent: API version 2026-10-21 has none any more.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

from guardrail.engines.llm.models.messages import read_message
from guardrail.engines.llm.protocol import Completion, Prompt
from guardrail.engines.llm.requests.failures import failure, status_of
from guardrail.errors import ConfigurationError, MissingExtraError

if TYPE_CHECKING:
    import httpx

    from guardrail.engines.llm.batches.service import BatchService

API = "https://api.anthropic.com"
VERSION = "2026-10-21"
_MESSAGES = "/v1/messages"
_CONNECTING = 5.0
_REFUSED = frozenset({400, 422})
_FORM_WORDS = ("output_config", "schema", "structured", "format")


class AnthropicLLM:
    """A Claude model; made once and shared by threads. Tasks have it work in threads.

    Replies are held to their schema (``output_config``) until the endpoint refuses that; then the schema stands in the
    instructions.

    Args:
        model: Such as ``claude-sonnet-5``.
        base_url: None = ANTHROPIC_BASE_URL, else Anthropic's; without ``/v1``.
        api_key: None = ANTHROPIC_API_KEY. An endpoint of your own needs none.
        structured: Whether to hold replies to their schema.
        body: Further fields of every request.

    Raises:
        MissingExtraError: httpx is not installed.
        ConfigurationError: there is no key, or an option is wrong.
    """

    provider = "anthropic"

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        structured: bool = True,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise ConfigurationError(f"AnthropicLLM: model must be the model's name, got {model!r}.")
        own = base_url or os.environ.get("ANTHROPIC_BASE_URL") or None
        key = (api_key if api_key is not None else os.environ.get("ANTHROPIC_API_KEY", "")).strip()
        if not key and own is None:
            raise ConfigurationError("AnthropicLLM: no key. Set ANTHROPIC_API_KEY or pass api_key.")
        address = (own or API).rstrip("/").removesuffix("/v1")
        if not address.startswith(("http://", "https://")):
            raise ConfigurationError("AnthropicLLM: base_url must start with http:// or https://.")
        try:
            import httpx
        except ImportError as error:
            raise MissingExtraError('AnthropicLLM needs httpx: pip install "rag-guardrail[anthropic]".') from error
        self._httpx = httpx
        self._model, self._key, self.address = model, key, address
        self._body = dict(body or {})
        self._structured = structured
        self._clients: dict[int, httpx.Client] = {}
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"AnthropicLLM(model={self._model!r})"

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._model

    def batch_service(self) -> BatchService:
        """The endpoint of message batches."""
        from guardrail.engines.llm.batches.anthropic import AnthropicBatches

        return AnthropicBatches(self)

    def complete(self, prompt: Prompt, *, timeout: float | None) -> Completion:
        """See guardrail.engines.llm.protocol.LLM."""
        structured = self._structured
        try:
            raw = self.request("POST", _MESSAGES, self.body(prompt, structured=structured), timeout).json()
        except Exception as error:
            if not (structured and prompt.schema is not None and _about_form(error)):
                raise failure(error) from None
        else:
            return read_message(raw)
        try:
            raw = self.request("POST", _MESSAGES, self.body(prompt, structured=False), timeout).json()
        except Exception as error:
            raise failure(error, spent=Completion(text="", calls=2)) from None
        self._structured = False
        return read_message(raw, calls=2)

    def body(self, prompt: Prompt, *, structured: bool | None = None) -> dict[str, Any]:
        """A request as the endpoint is known to understand it."""
        structured = (self._structured if structured is None else structured) and prompt.schema is not None
        # The instructions are the same for every answer: marked, they are charged once by the provider's prompt cache.
        system = prompt.system if structured else prompt.system_with_schema
        body: dict[str, Any] = {
            "model": self._model,
            "max_tokens": prompt.max_tokens,
            "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": prompt.user}],
        }
        if structured and prompt.schema is not None:
            body["output_config"] = {"format": {"type": "json_schema", "schema": dict(prompt.schema)}}
        return body | self._body

    def request(self, method: str, path: str, body: object, timeout: float | None) -> httpx.Response:
        """One request.

        Raises:
            httpx.HTTPError: it failed, or its status is no success.
        """
        headers = {"anthropic-version": VERSION} | ({"x-api-key": self._key} if self._key else {})
        connect = _CONNECTING if timeout is None else min(_CONNECTING, timeout)
        limit = self._httpx.Timeout(timeout, connect=connect)
        options: dict[str, Any] = {} if body is None else {"json": body}
        response = self._client().request(method, f"{self.address}{path}", headers=headers, timeout=limit, **options)
        response.raise_for_status()
        return response

    def _client(self) -> httpx.Client:
        with self._lock:
            process = os.getpid()  # a forked process must not use its parent's connections
            if process not in self._clients:
                self._clients[process] = self._httpx.Client()
            return self._clients[process]


def _about_form(error: Exception) -> bool:
    response = getattr(error, "response", None)
    said = str(getattr(response, "text", "")).lower()
    return status_of(error) in _REFUSED and any(word in said for word in _FORM_WORDS)
