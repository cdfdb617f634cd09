"""Clients that stand where an OpenAI client stood; what they do not check they refuse."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import openai

from guardrail.errors import UsageError
from guardrail.guard import Guard
from guardrail.streaming.events import Mode
from guardrail.wrap.openai.endpoints import AsyncChat, Chat
from guardrail.wrap.openai.request import NotCheckedError, PassagesFrom, Settings

if TYPE_CHECKING:
    from guardrail.wrap.openai.responses import AsyncResponses, Responses

_GENERATING = frozenset(
    "batches beta completions conversations delete evals get get_api_list patch post put realtime request "
    "with_raw_response with_streaming_response".split()
)
"""Ways to a model's text past the check."""


C = TypeVar("C", openai.OpenAI, openai.AsyncOpenAI)


def _refuse_without_responses(client: object) -> None:
    """Raise NotCheckedError where the installed openai knows no Responses API."""
    if not hasattr(client, "responses"):
        raise NotCheckedError(
            f"openai {openai.__version__} has no client.responses. "
            'Run: pip install -U "openai>=1.66", or use client.chat.completions.'
        )


class _Client(Generic[C]):
    """What both clients share."""

    _vendor: ClassVar[type[openai.OpenAI | openai.AsyncOpenAI]]
    _otherwise: ClassVar[str]

    def __init__(
        self,
        client: C,
        guard: Guard,
        *,
        mode: Mode = "buffer",
        passages_from: PassagesFrom | None = None,
        allow_unguarded: bool = False,
    ) -> None:
        """Wrap a client.

        Args:
            client: The client that asks the model.
            guard: Checks, decides and repairs.
            mode: When the text of a stream leaves; see Guard.stream.
            passages_from: From the messages of a request to its passages, for calls without ``passages``.
            allow_unguarded: Let endpoints through whose answers are not checked (completions, raw responses, ...); else
                using them is a UsageError, and ``hasattr`` says no.

        Raises:
            UsageError: the client or the guard is none.
        """
        if not isinstance(client, self._vendor):
            wanted = f"openai.{self._vendor.__name__}"
            raise UsageError(f"client must be {wanted}, got {type(client).__name__}. {self._otherwise}.")
        self._client: Any = client
        self._settings = Settings(guard=guard, mode=mode, passages_from=passages_from, allow_unguarded=allow_unguarded)

    def with_options(self, **options: Any) -> Self:
        """The same with other options of the client: timeout, max_retries, ..."""
        settings = {each.name: getattr(self._settings, each.name) for each in fields(self._settings)}
        return type(self)(self._client.with_options(**options), **settings)

    copy = with_options

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copying and pickling ask for some before the client is there
            raise AttributeError(name)
        if name in _GENERATING and not self._settings.allow_unguarded:
            self._settings.refuse(name)
        if name == "responses":  # the property below refused: Python asks here what else there is
            _refuse_without_responses(self._client)
        return getattr(self._client, name)


class GuardedOpenAI(_Client[openai.OpenAI]):
    """An ``openai.OpenAI`` (or AzureOpenAI) whose chat completions and responses are checked before they are returned.

    Holds no state of a call: one client serves all threads. Embeddings, files, models and the like pass through.
    """

    _vendor, _otherwise = openai.OpenAI, "Async: GuardedAsyncOpenAI"

    @cached_property
    def chat(self) -> Chat:
        """``client.chat``."""
        return Chat(self._client.chat, self._settings)

    @cached_property
    def responses(self) -> Responses:
        """``client.responses``."""
        _refuse_without_responses(self._client)
        from guardrail.wrap.openai.responses import Responses

        return Responses(self._client.responses, self._settings, "responses")

    def __enter__(self) -> Self:
        self._client.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._client.__exit__(kind, error, at)


class GuardedAsyncOpenAI(_Client[openai.AsyncOpenAI]):
    """The same for ``openai.AsyncOpenAI``. ``passages_from`` may be a coroutine function."""

    _vendor, _otherwise = openai.AsyncOpenAI, "Sync: GuardedOpenAI"

    @cached_property
    def chat(self) -> AsyncChat:
        """``client.chat``."""
        return AsyncChat(self._client.chat, self._settings)

    @cached_property
    def responses(self) -> AsyncResponses:
        """``client.responses``."""
        _refuse_without_responses(self._client)
        from guardrail.wrap.openai.responses import AsyncResponses

        return AsyncResponses(self._client.responses, self._settings, "responses")

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._client.__aexit__(kind, error, at)
