"""``client.chat.completions.create``, guarded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal, TypeVar, overload

from openai.resources import chat as vendor
from openai.types.chat import ChatCompletion

from guardrail.check.drivers import Program, arun, maybe_async, run
from guardrail.check.intake import PassageLike
from guardrail.policy.policy import Policy
from guardrail.repair.feedback import Feedback
from guardrail.streaming.events import Mode
from guardrail.types import GuardedAnswer
from guardrail.wrap.kinds import Regenerators, guarded_run, same
from guardrail.wrap.openai.completion import GuardedCompletion, text_of
from guardrail.wrap.openai.request import Request, Settings, given_passages, read_request
from guardrail.wrap.openai.stream import GuardedAsyncStream, GuardedStream

S = TypeVar("S")


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


class _Completions(_Resource):
    """What ``create`` does, for sync and async clients."""

    def _created(
        self, asked: Request, passages: Iterable[PassageLike] | None, stream: Callable[..., S]
    ) -> Program[GuardedCompletion | S]:
        guard = self._settings.guard
        refusal = "passages_from is async. Use GuardedAsyncOpenAI."
        found = yield maybe_async(partial(self._settings.find, passages, asked.messages), refusal)
        against = given_passages(found)

        def answering(feedback: Feedback) -> Program[str]:
            said: ChatCompletion = yield same(self._inner.create, **asked.with_feedback(feedback))
            return (text_of(said.choices[0]) if said.choices else None) or ""

        regenerators = Regenerators.of(answering)
        said = yield same(self._inner.create, **asked.body)
        if asked.body.get("stream"):
            return stream(said, guard, asked, against, regenerators)
        guarded: list[GuardedAnswer | None] = []
        for choice in said.choices:
            text = text_of(choice)
            options = {"question": asked.question, "policy": asked.policy}
            guarded.append(None if text is None else (yield guarded_run(guard, text, against, regenerators, **options)))
        return GuardedCompletion.of(said, guarded)


class Completions(_Completions):
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
        asked = read_request(messages, question, policy, mode or self._settings.mode, request)
        return run(self._created(asked, passages, GuardedStream))


class AsyncCompletions(_Completions):
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
        asked = read_request(messages, question, policy, mode or self._settings.mode, request)
        return await arun(self._created(asked, passages, GuardedAsyncStream))
