"""Any LlamaIndex LLM as a judge."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping
from inspect import unwrap
from typing import TYPE_CHECKING, Any

from guardrail.check.drivers import arun, run
from guardrail.engines.llm.models.capabilities import with_text
from guardrail.engines.llm.protocol import Completion, Prompt
from guardrail.engines.llm.requests.budget import read_tokens
from guardrail.engines.llm.requests.failures import failure, mentions
from guardrail.errors import ConfigurationError, MissingExtraError

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.llms import LLM

_MOST_REQUESTS = 2
"""For one prompt: a model may refuse the temperature."""
_CUT = frozenset({"length", "max_tokens", "MAX_TOKENS"})


class LlamaIndexLLM:
    """A LlamaIndex ``LLM``; made once and shared by threads and tasks.

    The schema of a reply stands in the instructions. The model works as a copy without the callback manager of your
    index, so that its token counters and traces do not hear of verdicts; and without retries of its own, since ours
    keep to the answer's deadline and budget.

    Args:
        llm: The model.
        temperature: Set on the copy where the model has such a field; None leaves it as it is.

    Raises:
        MissingExtraError: llama-index-core is not installed.
        ConfigurationError: ``llm`` is no LLM.
    """

    def __init__(self, llm: LLM, *, temperature: float | None = 0.0) -> None:
        try:
            from llama_index.core.callbacks import CallbackManager
            from llama_index.core.llms import LLM, CustomLLM
        except ImportError as error:
            raise MissingExtraError(
                'LlamaIndexLLM needs llama-index-core: pip install "rag-guardrail[llama-index,llm]".'
            ) from error
        if not isinstance(llm, LLM):
            raise ConfigurationError(f"LlamaIndexLLM: llm must be a LlamaIndex LLM, got {type(llm).__name__}.")
        fields = type(llm).model_fields
        quiet: dict[str, Any] = {"callback_manager": CallbackManager([])}
        if "max_retries" in fields:
            quiet["max_retries"] = 0
        self._model = llm.metadata.model_name
        self._given = llm.model_copy(update=quiet)
        self._cold = self._given
        if temperature is not None and "temperature" in fields:
            self._cold = llm.model_copy(update={**quiet, "temperature": temperature})
        # Its `achat` is its `chat` and would stop the event loop; LlamaIndex wraps methods anew in every class.
        self._blocks = isinstance(llm, CustomLLM) and unwrap(type(llm).achat) is unwrap(CustomLLM.achat)

    def __repr__(self) -> str:
        return f"LlamaIndexLLM({type(self._given).__name__}, model={self._model!r})"

    @property
    def model(self) -> str:
        """Name of the model, as its metadata has it."""
        return self._model

    def complete(self, prompt: Prompt, *, timeout: float | None) -> Completion:
        """See llm.protocol.LLM; the time is kept by llm.requests.calls, LlamaIndex has no such option."""
        del timeout
        return run(self._negotiation(prompt), lambda asked: asked[0].chat(asked[1]))

    async def acomplete(self, prompt: Prompt, *, timeout: float | None) -> Completion:  # noqa: ASYNC109
        """See ``complete``."""
        if self._blocks:
            return await asyncio.to_thread(self.complete, prompt, timeout=timeout)
        return await arun(self._negotiation(prompt), lambda asked: asked[0].achat(asked[1]))

    def _negotiation(self, prompt: Prompt) -> Generator[tuple[LLM, list[ChatMessage]], object, Completion]:
        messages = _messages(prompt)
        calls = 0
        while True:
            calls += 1
            try:
                return _read((yield self._cold, messages), calls)
            except Exception as error:
                if calls == _MOST_REQUESTS or not self._learn(error):
                    raise failure(error) from None

    def _learn(self, error: Exception) -> bool:
        """Whether the model refused the temperature; it is left out from then on."""
        refused = self._cold is not self._given and mentions(error, "temperature")
        if refused:
            self._cold = self._given
        return refused


def _messages(prompt: Prompt) -> list[ChatMessage]:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole

    return [
        ChatMessage(role=MessageRole.SYSTEM, content=prompt.system_with_schema),
        ChatMessage(role=MessageRole.USER, content=prompt.user),
    ]


def _read(response: Any, calls: int) -> Completion:
    raw = response.raw
    usage = read_tokens(_field(raw, "usage") or _field(raw, "usage_metadata") or response.additional_kwargs)
    choices = _field(raw, "choices")
    ending = _field(choices[0], "finish_reason") if isinstance(choices, list) and choices else None
    ending = ending or _field(raw, "stop_reason") or _field(raw, "done_reason")
    spent = Completion(text="", calls=calls, **usage)
    refused = ending in {"content_filter", "refusal"}
    return with_text(spent, response.message.content, refused=refused, cut_off=ending in _CUT)


def _field(owner: object, name: str) -> Any:
    return owner.get(name) if isinstance(owner, Mapping) else getattr(owner, name, None)
