"""OpenAI, and every endpoint that speaks its chat protocol: Azure, vLLM, Ollama, LiteLLM and others."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, Unpack
from urllib.parse import urlsplit

from guardrail.check.drivers import arun, run
from guardrail.engines.llm.models.capabilities import EndpointCapabilities, read_reply
from guardrail.engines.llm.models.clients import Clients
from guardrail.engines.llm.protocol import Completion, Prompt
from guardrail.engines.llm.requests.failures import failure, status_of
from guardrail.errors import ConfigurationError, MissingExtraError, did_you_mean
from guardrail.telemetry.spans import trace_headers

if TYPE_CHECKING:
    import openai

    from guardrail.engines.llm.batches.service import BatchService

Structured = Literal["auto", "json_schema", "json_object", "none"]
_STRUCTURED: tuple[Structured, ...] = ("auto", "json_schema", "json_object", "none")
_MOST_REQUESTS = 6
"""Requests for one prompt while the endpoint is being learned: there are five things that it may refuse."""
_CONNECTING = 5.0
"""Seconds to connect at most: where nobody answers, the time of a whole reply need not pass to know it."""


Negotiation = Generator[dict[str, Any], object, Completion]
"""Yields requests, until one is understood."""


class OpenAIOptions(TypedDict, total=False):
    """Options of OpenAILLM that hold for Azure too."""

    structured: Structured
    temperature: float | None
    seed: int | None
    body: Mapping[str, Any] | None


class OpenAILLM:
    """A chat model behind the OpenAI protocol; made once and shared by threads and tasks.

    The first request asks for everything; what the endpoint refuses (400, 422) is left out from then on. Requests that
    this took are counted in ``Completion.calls``.

    Args:
        model: Its name at the endpoint.
        base_url: The endpoint, such as ``http://localhost:8000/v1``; None = OPENAI_BASE_URL, else OpenAI.
        api_key: None = OPENAI_API_KEY. An endpoint of your own needs none.
        structured: How replies are held to their schema; "auto" takes the strictest that the endpoint understands.
        temperature: None leaves it to the endpoint.
        seed: For endpoints that draw at random even at temperature 0.
        body: Further fields of every request, such as ``{"reasoning_effort": "low"}``.
        client: Further arguments of ``openai.OpenAI`` and ``openai.AsyncOpenAI``, such as ``default_headers``.

    Raises:
        MissingExtraError: openai is not installed.
        ConfigurationError: there is no key, or an option is wrong.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        structured: Structured = "auto",
        temperature: float | None = 0.0,
        seed: int | None = None,
        body: Mapping[str, Any] | None = None,
        client: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise ConfigurationError(f"OpenAILLM: model must be the model's name at the endpoint, got {model!r}.")
        if structured not in _STRUCTURED:
            raise ConfigurationError(
                f"OpenAILLM: unknown structured={structured!r}. {did_you_mean(str(structured), _STRUCTURED)}"
            )
        self._model = model
        self._body = dict(body or {})
        client = client or {}
        azure = "azure_endpoint" in client
        self._clients, self._address = _connect(base_url, api_key, client, azure=azure)
        self._provider = "azure.ai.openai" if azure else "openai"
        self._capabilities = EndpointCapabilities(
            form="json_schema" if structured == "auto" else structured,
            fixed=structured != "auto",
            # Servers that are not OpenAI's may pass over a limit that they do not know.
            limit="max_tokens" if base_url or os.environ.get("OPENAI_BASE_URL") else "max_completion_tokens",
            temperature=temperature,
            seed=seed,
        )

    @classmethod
    def azure(
        cls,
        deployment: str,
        endpoint: str | None = None,
        api_key: str | None = None,
        *,
        api_version: str | None = None,
        client: Mapping[str, Any] | None = None,
        **options: Unpack[OpenAIOptions],
    ) -> Self:
        """A deployment on Azure.

        Args:
            deployment: Its name; it stands for the model.
            endpoint: Such as ``https://name.openai.azure.com``; None = AZURE_OPENAI_ENDPOINT.
            api_key: None = AZURE_OPENAI_API_KEY, or tokens: ``client={"azure_ad_token_provider": ...}``.
            api_version: None = OPENAI_API_VERSION.
            client: Further arguments of ``openai.AzureOpenAI`` and ``openai.AsyncAzureOpenAI``.
            options: As for any model.
        """
        azure = {"azure_endpoint": endpoint, "api_version": api_version, **(client or {})}
        return cls(deployment, None, api_key, client=azure, **options)

    def __repr__(self) -> str:
        return f"OpenAILLM(model={self._model!r}, base_url={self._address!r})"

    @property
    def model(self) -> str:
        """Name of the model at the endpoint."""
        return self._model

    @property
    def provider(self) -> str:
        """For traces: whose protocol the endpoint speaks, whoever runs it."""
        return self._provider

    @property
    def address(self) -> str:
        """The endpoint, without what may be secret in it."""
        return self._address

    def body(self, prompt: Prompt) -> dict[str, Any]:
        """A request as the endpoint is known to understand it."""
        return {"model": self._model, **self._capabilities.body(prompt), **self._body}

    def client(self, timeout: float) -> openai.OpenAI:
        """The vendor's client of this process, with that many seconds for a request."""
        client: openai.OpenAI = self._clients.here().with_options(timeout=timeout)
        return client

    def batch_service(self) -> BatchService:
        """The batch endpoint beside the chat endpoint.

        Raises:
            ConfigurationError: it is on Azure, whose batches need a deployment of another kind.
        """
        if self._provider != "openai":
            raise ConfigurationError("OpenAILLM: batches on Azure are not supported. Leave batches out.")
        from guardrail.engines.llm.batches.openai import OpenAIBatches

        return OpenAIBatches(self)

    def complete(self, prompt: Prompt, *, timeout: float | None) -> Completion:
        """See guardrail.engines.llm.protocol.LLM."""
        end = None if timeout is None else time.monotonic() + timeout
        client = self._clients.here()
        return run(
            self._negotiation(prompt), lambda body: client.chat.completions.create(**body, timeout=_time_left(end))
        )

    async def acomplete(self, prompt: Prompt, *, timeout: float | None) -> Completion:  # noqa: ASYNC109
        """See guardrail.engines.llm.protocol.AsyncLLM."""
        end = None if timeout is None else time.monotonic() + timeout
        client = await self._clients.in_loop()
        return await arun(
            self._negotiation(prompt), lambda body: client.chat.completions.create(**body, timeout=_time_left(end))
        )

    def _negotiation(self, prompt: Prompt) -> Negotiation:
        """Ask until a request is understood; then what was learned is kept."""
        capabilities = self._capabilities
        calls = 0
        while True:
            calls += 1
            body = capabilities.body(prompt)
            more = {"extra_body": self._body or None, "extra_headers": trace_headers() or None}
            try:
                reply = yield {"model": self._model, **body, **more}
            except Exception as error:
                plainer = None
                if status_of(error) in {400, 422}:
                    parameter = getattr(error, "param", None)
                    plainer = capabilities.without(parameter if isinstance(parameter, str) else None, str(error), body)
                if plainer is None or calls == _MOST_REQUESTS:
                    raise failure(error, spent=Completion(text="", calls=calls)) from None
                capabilities = plainer
            else:
                self._capabilities = capabilities  # in one assignment: threads that learn at once learn the same
                return read_reply(reply, calls)


def _connect(
    base_url: str | None, api_key: str | None, client: Mapping[str, Any], *, azure: bool
) -> tuple[Clients[openai.OpenAI, openai.AsyncOpenAI], str]:
    vendor = _vendor()
    if not azure:
        base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        if base_url and not base_url.startswith(("http://", "https://")):
            raise ConfigurationError(
                f"OpenAILLM: base_url must start with http:// or https://, got {_without_user(base_url)!r}."
            )
        api_key = _key(api_key, base_url, client)
    given = {"base_url": base_url, "api_key": api_key, **client}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    options["max_retries"] = 0  # guardrail.engines.llm.requests.calls tries again, in the answer's time and budget
    sync, tasks = (vendor.AzureOpenAI, vendor.AsyncAzureOpenAI) if azure else (vendor.OpenAI, vendor.AsyncOpenAI)
    if "http_client" in options:
        raise ConfigurationError(
            "OpenAILLM: http_client serves threads or tasks, not both; set proxies by HTTPS_PROXY."
        )
    try:
        with sync(**options) as probe:
            address = _without_user(str(probe.base_url))
    except (vendor.OpenAIError, TypeError, ValueError) as error:
        raise ConfigurationError(f"OpenAILLM: {error}") from None
    return Clients(lambda: sync(**options), lambda: tasks(**options)), address


def _key(api_key: str | None, base_url: str | None, client: Mapping[str, Any]) -> str | None:
    """The key; its line end, which is easily copied with it, is no part of it."""
    key = (api_key if api_key is not None else os.environ.get("OPENAI_API_KEY", "")).strip()
    if not key and not base_url and not client:
        raise ConfigurationError(
            "OpenAILLM: no key. Set OPENAI_API_KEY or pass api_key; for a server of your own pass base_url."
        )
    return key or ("none" if base_url else None)


def _vendor() -> ModuleType:
    try:
        import openai
    except ImportError as error:
        raise MissingExtraError('OpenAILLM needs openai: pip install "rag-guardrail[openai]".') from error
    return openai


def _without_user(address: str) -> str:
    parts = urlsplit(address)
    if not parts.netloc:
        return address.rpartition("@")[2]
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()


def _time_left(end: float | None) -> openai.Timeout:
    from openai import Timeout

    left = None if end is None else max(0.001, end - time.monotonic())
    return Timeout(left, connect=_CONNECTING if left is None else min(left, _CONNECTING))
