"""Clients that stand where an OpenAI client stood; what they do not check they refuse."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import openai

from guardrail.errors import UsageError
from guardrail.guard import Guard
from guardrail.streaming.events import Mode
from guardrail.wrap.openai.endpoints import AsyncChat, Chat
from guardrail.wrap.openai.request import PassagesFrom
from guardrail.wrap.openai.settings import Settings

_GENERATING = frozenset(
    "batches beta completions conversations delete evals get get_api_list patch post put realtime request responses "
    "with_raw_response with_streaming_response".split()
)
"""Ways to a model's text past the check."""


class GuardedOpenAI:
    """An ``openai.OpenAI`` (or AzureOpenAI) whose chat completions are checked before they are returned.

    Holds no state of a call: one client serves all threads. Embeddings, files, models and the like pass through.
    """

    def __init__(
        self,
        client: openai.OpenAI,
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
            allow_unguarded: Let endpoints through whose answers are not checked (responses, raw responses, ...); else
                using them is a UsageError.

        Raises:
            UsageError: the client or the guard is none.
        """
        if not isinstance(client, openai.OpenAI):
            raise UsageError(f"client must be openai.OpenAI, got {type(client).__name__}. Async: GuardedAsyncOpenAI.")
        self._client = client
        self._settings = Settings(guard=guard, mode=mode, passages_from=passages_from, allow_unguarded=allow_unguarded)
        self.chat = Chat(client.chat, self._settings)

    def with_options(self, **options: Any) -> GuardedOpenAI:
        """The same with other options of the client: timeout, max_retries, ..."""
        return GuardedOpenAI(self._client.with_options(**options), **_given(self._settings))

    copy = with_options

    def __getattr__(self, name: str) -> Any:
        return _passed(self._client, name, self._settings) if not name.startswith("_") else _none(name)

    def __enter__(self) -> Self:
        self._client.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._client.__exit__(kind, error, at)


class GuardedAsyncOpenAI:
    """The same for ``openai.AsyncOpenAI``. ``passages_from`` may be a coroutine function."""

    def __init__(
        self,
        client: openai.AsyncOpenAI,
        guard: Guard,
        *,
        mode: Mode = "buffer",
        passages_from: PassagesFrom | None = None,
        allow_unguarded: bool = False,
    ) -> None:
        """See GuardedOpenAI."""
        if not isinstance(client, openai.AsyncOpenAI):
            raise UsageError(f"client must be openai.AsyncOpenAI, got {type(client).__name__}. Sync: GuardedOpenAI.")
        self._client = client
        self._settings = Settings(guard=guard, mode=mode, passages_from=passages_from, allow_unguarded=allow_unguarded)
        self.chat = AsyncChat(client.chat, self._settings)

    def with_options(self, **options: Any) -> GuardedAsyncOpenAI:
        """The same with other options of the client: timeout, max_retries, ..."""
        return GuardedAsyncOpenAI(self._client.with_options(**options), **_given(self._settings))

    copy = with_options

    def __getattr__(self, name: str) -> Any:
        return _passed(self._client, name, self._settings) if not name.startswith("_") else _none(name)

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._client.__aexit__(kind, error, at)


def _passed(client: openai.OpenAI | openai.AsyncOpenAI, name: str, settings: Settings) -> Any:
    if name in _GENERATING and not settings.allow_unguarded:
        settings.refuse(name)
    return getattr(client, name)


def _none(name: str) -> Any:
    """Private attributes are not passed on: copying and pickling ask for some before the client is there."""
    raise AttributeError(name)


def _given(settings: Settings) -> dict[str, Any]:
    names = ("guard", "mode", "passages_from", "allow_unguarded")
    return {name: getattr(settings, name) for name in names}
