"""``client.chat.completions.create``, guarded."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, Literal, overload

from openai.resources import chat as vendor
from openai.types.chat import ChatCompletion

from guardrail.check.intake import PassageLike
from guardrail.errors import UsageError
from guardrail.policy.policy import Policy
from guardrail.repair.feedback import Feedback
from guardrail.streaming.events import Mode
from guardrail.types import GuardedAnswer
from guardrail.wrap.openai.completion import GuardedCompletion, text_of
from guardrail.wrap.openai.request import given_passages, read_request
from guardrail.wrap.openai.settings import Settings
from guardrail.wrap.openai.stream import GuardedAsyncStream, GuardedStream


class _Resource:
    """A resource of the client of which one part is guarded; the rest is refused."""

    def __init__(self, inner: Any, settings: Settings, name: str) -> None:
        self._inner, self._settings, self._name = inner, settings, name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if not self._settings.allow_unguarded:
            self._settings.refuse(f"{self._name}.{name}")
        return getattr(self._inner, name)


class Chat(_Resource):
    """``client.chat``."""

    def __init__(self, inner: vendor.Chat, settings: Settings) -> None:
        super().__init__(inner, settings, "chat")
        self.completions = Completions(inner.completions, settings, "chat.completions")


class AsyncChat(_Resource):
    """``client.chat`` of an async client."""

    def __init__(self, inner: vendor.AsyncChat, settings: Settings) -> None:
        super().__init__(inner, settings, "chat")
        self.completions = AsyncCompletions(inner.completions, settings, "chat.completions")


class Completions(_Resource):
    """``client.chat.completions``."""

    @overload
    def create(self, *, messages: Iterable[Any], stream: Literal[True], **more: Any) -> GuardedStream: ...
    @overload
    def create(
        self, *, messages: Iterable[Any], stream: Literal[False] | None = None, **more: Any
    ) -> GuardedCompletion: ...

    def create(
        self,
        *,
        messages: Iterable[Any],
        passages: Iterable[PassageLike] | None = None,
        question: str | None = None,
        policy: Policy | None = None,
        mode: Mode | None = None,
        **request: Any,
    ) -> GuardedCompletion | GuardedStream:
        """Ask the model, and check what it answers.

        Where the policy regenerates, the same request is sent again with the answer and the feedback as messages.
        Choices that call tools or refuse are left as they are, and have no GuardedAnswer.

        Args:
            messages: As for the model.
            passages: What the answer is checked against: see Guard.check. ``[]`` for none.
            question: What was asked; default: the last message of the user.
            policy: Instead of the guard's own.
            mode: Instead of the client's own, for a stream.
            request: The request, as the vendor documents it: ``model``, ``stream``, ...

        Raises:
            UsageError: there are no passages, or the answer cannot be checked: speech, a stream of several answers.
            openai.OpenAIError: as the client within.
        """
        call = read_request(messages, question, policy, mode or self._settings.mode, request)
        found = self._settings.find(passages, call.messages)
        if inspect.isawaitable(found):
            if inspect.iscoroutine(found):
                found.close()
            raise UsageError("passages_from is async. Use GuardedAsyncOpenAI.")
        against = given_passages(found)

        def regenerate(feedback: Feedback) -> str:
            return _text(self._inner.create(**call.again(feedback)))

        said = self._inner.create(**call.body)
        if request.get("stream"):
            return GuardedStream(said, self._settings.guard, call, against, regenerate)
        guarded: list[GuardedAnswer | None] = []
        for choice in said.choices:
            text = text_of(choice)
            guarded.append(
                None
                if text is None
                else self._settings.guard.run(
                    text, against, question=call.question, policy=call.policy, regenerate=regenerate
                )
            )
        return GuardedCompletion.of(said, guarded)


class AsyncCompletions(_Resource):
    """``client.chat.completions`` of an async client."""

    @overload
    async def create(self, *, messages: Iterable[Any], stream: Literal[True], **more: Any) -> GuardedAsyncStream: ...
    @overload
    async def create(
        self, *, messages: Iterable[Any], stream: Literal[False] | None = None, **more: Any
    ) -> GuardedCompletion: ...

    async def create(
        self,
        *,
        messages: Iterable[Any],
        passages: Iterable[PassageLike] | None = None,
        question: str | None = None,
        policy: Policy | None = None,
        mode: Mode | None = None,
        **request: Any,
    ) -> GuardedCompletion | GuardedAsyncStream:
        """See Completions.create; the event loop is not blocked."""
        call = read_request(messages, question, policy, mode or self._settings.mode, request)
        found = self._settings.find(passages, call.messages)
        against = given_passages(await found if inspect.isawaitable(found) else found)

        async def regenerate(feedback: Feedback) -> str:
            return _text(await self._inner.create(**call.again(feedback)))

        said = await self._inner.create(**call.body)
        if request.get("stream"):
            return GuardedAsyncStream(said, self._settings.guard, call, against, regenerate)
        guarded: list[GuardedAnswer | None] = []
        for choice in said.choices:
            text = text_of(choice)
            guarded.append(
                None
                if text is None
                else await self._settings.guard.arun(
                    text, against, question=call.question, policy=call.policy, regenerate=regenerate
                )
            )
        return GuardedCompletion.of(said, guarded)


def _text(completion: ChatCompletion) -> str:
    """A new answer; "" where the model gave none."""
    return (text_of(completion.choices[0]) if completion.choices else None) or ""
