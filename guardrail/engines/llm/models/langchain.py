"""Any LangChain chat model as a judge."""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from guardrail.check.drivers import arun, run
from guardrail.engines.llm.models.capabilities import with_text
from guardrail.engines.llm.protocol import Completion, Prompt
from guardrail.engines.llm.requests.budget import read_tokens
from guardrail.engines.llm.requests.failures import failure, mentions
from guardrail.errors import ConfigurationError, MissingExtraError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable, RunnableConfig

    _Request = tuple[Runnable[Any, Any], list[BaseMessage]]

_PROVIDERS = {
    "amazon_bedrock": "aws.bedrock",
    "azure": "azure.ai.openai",
    "google_genai": "gcp.gemini",
    "google_vertexai": "gcp.vertex_ai",
    "ibm": "ibm.watsonx.ai",
    "mistral": "mistral_ai",
    "xai": "x_ai",
}
"""LangChain's names of providers that OpenTelemetry calls otherwise."""
_MOST_REQUESTS = 3
"""For one prompt: a model may refuse the temperature and the schema."""
_CUT = frozenset({"length", "max_tokens", "MAX_TOKENS", "model_length"})
_REFUSED = frozenset({"content_filter", "SAFETY", "refusal", "guardrail_intervened", "content_filtered"})


class LangChainLLM:
    """A ``BaseChatModel``; made once and shared by threads and tasks.

    Its calls are no part of the chain in which the answer was made: handlers of that run do not hear of them, so no
    verdict is streamed to a reader or counted as a step. Handlers set on ``chat_model`` itself do hear of them.

    Turn the model's own retries off (``max_retries=0``): ours keep to the answer's deadline and budget.

    Args:
        chat_model: The model.
        structured: Whether the model holds replies to a JSON schema; None = what its profile says. Otherwise the schema
            stands in the instructions.
        temperature: Set on a copy of the model where it has such a field; None leaves the model as it is.

    Raises:
        MissingExtraError: langchain-core is not installed.
        ConfigurationError: ``chat_model`` is no chat model.
    """

    def __init__(
        self, chat_model: BaseChatModel, *, structured: bool | None = None, temperature: float | None = 0.0
    ) -> None:
        try:
            from langchain_core.language_models import BaseChatModel
        except ImportError as error:
            raise MissingExtraError(
                'LangChainLLM needs langchain-core: pip install "rag-guardrail[langchain,llm]".'
            ) from error
        if not isinstance(chat_model, BaseChatModel):
            raise ConfigurationError(
                f"LangChainLLM: chat_model must be a LangChain BaseChatModel, got {type(chat_model).__name__}."
            )
        profile: Any = getattr(chat_model, "profile", None) or {}
        self._structured = bool(profile.get("structured_output")) if structured is None else structured
        self._given = chat_model
        self._cold = chat_model
        if temperature is not None and "temperature" in type(chat_model).model_fields:
            self._cold = chat_model.model_copy(update={"temperature": temperature})

    def __repr__(self) -> str:
        return f"LangChainLLM({type(self._given).__name__}, model={self.model!r})"

    @property
    def model(self) -> str:
        """Name of the model, as far as it tells."""
        names = (getattr(self._given, name, None) for name in ("model_name", "model", "model_id", "deployment_name"))
        return next((name for name in names if isinstance(name, str) and name), type(self._given).__name__)

    @property
    def provider(self) -> str | None:
        """For traces: who serves the model, as far as it tells."""
        try:
            named = self._given._get_ls_params().get("ls_provider")  # noqa: SLF001  what LangChain's own tracers read
        except Exception:  # of a model by somebody else
            return None
        return _PROVIDERS.get(named, named) if isinstance(named, str) else None

    def complete(self, prompt: Prompt, *, timeout: float | None) -> Completion:
        """See llm.protocol.LLM; the time is kept by llm.requests.calls, LangChain has no such option."""
        del timeout
        return run(self._negotiation(prompt), lambda asked: asked[0].invoke(asked[1], _config(prompt)))

    async def acomplete(self, prompt: Prompt, *, timeout: float | None) -> Completion:  # noqa: ASYNC109
        """See ``complete``."""
        del timeout
        return await arun(self._negotiation(prompt), lambda asked: asked[0].ainvoke(asked[1], _config(prompt)))

    def _negotiation(
        self, prompt: Prompt
    ) -> Generator[tuple[Runnable[Any, Any], list[BaseMessage]], object, Completion]:
        calls = 0
        while True:
            calls += 1
            try:
                return _read((yield self._request(prompt)), calls)
            except Exception as error:
                if calls == _MOST_REQUESTS or not self._learn(error):
                    raise failure(error) from None

    def _request(self, prompt: Prompt) -> _Request:
        from langchain_core.messages import HumanMessage, SystemMessage

        runnable: Runnable[Any, Any] = self._cold
        system = prompt.system_with_schema
        if prompt.schema is not None and self._structured:
            schema = {"title": prompt.schema_name, **prompt.schema}
            try:
                runnable = self._cold.with_structured_output(schema, method="json_schema", include_raw=True)
            except (NotImplementedError, TypeError, ValueError):
                self._structured = False
            else:
                system = prompt.system
        return runnable, [SystemMessage(system), HumanMessage(prompt.user)]

    def _learn(self, error: Exception) -> bool:
        """Whether the model refused something that can be left out; it is left out from then on."""
        if self._cold is not self._given and mentions(error, "temperature"):
            self._cold = self._given
            return True
        if self._structured and (mentions(error, "response_format") or mentions(error, "schema")):
            self._structured = False
            return True
        return False


def _config(prompt: Prompt) -> RunnableConfig:
    # An empty list takes the place of the handlers that a surrounding chain hands down.
    return {"callbacks": [], "run_name": "guardrail", "tags": ["guardrail"], "metadata": {"prompt": prompt.identity}}


def _read(reply: object, calls: int) -> Completion:
    raw: Any = reply.get("raw") if isinstance(reply, dict) else reply
    about: Any = getattr(raw, "response_metadata", None) or {}
    name = str(about.get("model_name") or about.get("model") or "")
    spent = Completion(text="", model=name, calls=calls, **read_tokens(getattr(raw, "usage_metadata", None)))
    endings = {str(about.get(name)) for name in ("finish_reason", "stop_reason", "stopReason", "done_reason")}
    extra: Any = getattr(raw, "additional_kwargs", None) or {}
    text = getattr(raw, "text", "")
    text = str(text() if callable(text) and not isinstance(text, str) else text)
    tools = getattr(raw, "tool_calls", None) or []
    if not text.strip() and tools:  # some models are held to a schema by way of a tool
        text = json.dumps(tools[0].get("args"), ensure_ascii=False)
    refused = bool(extra.get("refusal") or endings & _REFUSED)
    return with_text(spent, text, refused=refused, cut_off=bool(endings & _CUT))
