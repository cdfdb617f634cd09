"""``create`` and ``parse`` of ``client.chat.completions``, guarded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal, TypeVar, overload

from openai.resources import chat as vendor

from guardrail.check.drivers import Program, arun, maybe_async, run
from guardrail.check.intake import PassageLike
from guardrail.policy.policy import Policy
from guardrail.repair.feedback import Feedback
from guardrail.streaming.events import Mode
from guardrail.types import Passage
from guardrail.wrap.kinds import Regenerators, guarded_run, same
from guardrail.wrap.openai.completion import Checked, GuardedCompletion, GuardedParsedCompletion, written_in
from guardrail.wrap.openai.request import Request, Settings, given_passages, read_request
from guardrail.wrap.openai.stream import GuardedAsyncStream, GuardedStream
from guardrail.wrap.written import Written

S = TypeVar("S")
T = TypeVar("T")

ReadAll = Callable[[Any], list[Written | None]]
"""From a reply of the model to what it wrote: one item per choice."""


class Resource:
    """A resource of the client of which one part is guarded; the rest is refused."""

    def __init__(self, inner: Any, settings: Settings, name: str) -> None:
        self._inner, self._settings, self._name = inner, settings, name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if not self._settings.allow_unguarded:
            self._settings.refuse(f"{self._name}.{name}")
        return getattr(self._inner, name)

    def _passages(self, passages: Iterable[PassageLike] | None, asked: Request) -> Program[tuple[Passage, ...]]:
        refusal = "passages_from is async. Use GuardedAsyncOpenAI."
        found = yield maybe_async(partial(self._settings.find, passages, asked.messages), refusal)
        return given_passages(found)

    def _checked(
        self, call: Callable[..., Any], said: Any, read: ReadAll, asked: Request, against: tuple[Passage, ...]
    ) -> Program[list[Checked | None]]:
        """Each choice of a reply, checked; ``call`` asks the model again."""
        checked: list[Checked | None] = []
        for first in read(said):
            if first is None:
                checked.append(None)
                continue
            again: list[Written] = []

            def answering(feedback: Feedback, again: list[Written] = again) -> Program[str]:
                new = read((yield same(call, **asked.with_feedback(feedback))))
                if not new or new[0] is None:
                    return ""
                again.append(new[0])
                return new[0].answer

            guarded = yield guarded_run(
                self._settings.guard,
                first.answer,
                against,
                Regenerators() if asked.body.get("conversation") else Regenerators.of(answering),
                question=asked.question,
                policy=asked.policy,
            )
            best = next((each for each in again if each.answer == guarded.report.answer), first)
            checked.append((best.with_answer(guarded.text), guarded))
        return checked


class Chat(Resource):
    """``client.chat``."""

    def __init__(self, inner: vendor.Chat, settings: Settings) -> None:
        super().__init__(inner, settings, "chat")
        self.completions = Completions(inner.completions, settings, "chat.completions")


class AsyncChat(Resource):
    """``client.chat`` of an async client."""

    def __init__(self, inner: vendor.AsyncChat, settings: Settings) -> None:
        super().__init__(inner, settings, "chat")
        self.completions = AsyncCompletions(inner.completions, settings, "chat.completions")


class _Completions(Resource):
    """What ``create`` and ``parse`` do, for sync and async clients."""

    def _created(
        self, asked: Request, passages: Iterable[PassageLike] | None, stream: Callable[..., S]
    ) -> Program[GuardedCompletion | S]:
        against = yield from self._passages(passages, asked)
        said = yield same(self._inner.create, **asked.body)
        if not asked.body.get("stream"):
            checked = yield from self._checked(self._inner.create, said, partial(_read, asked), asked, against)
            return GuardedCompletion.of(said, checked)

        def answering(feedback: Feedback) -> Program[str]:
            new = _read(asked, (yield same(self._inner.create, **asked.with_feedback(feedback))))
            return new[0].text if new and new[0] is not None else ""

        return stream(said, self._settings.guard, asked, against, Regenerators.of(answering))

    def _parsed(self, asked: Request, passages: Iterable[PassageLike] | None) -> Program[GuardedParsedCompletion[Any]]:
        against = yield from self._passages(passages, asked)
        said = yield same(self._inner.parse, **asked.body)
        checked = yield from self._checked(self._inner.parse, said, partial(_read, asked), asked, against)
        return GuardedParsedCompletion.of(said, checked)


def _read(asked: Request, said: Any) -> list[Written | None]:
    return [written_in(choice, asked.field) for choice in said.choices]


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
        policy: Policy | str | None = None,
        mode: Mode | None = None,
        answer_field: str | None = None,
        **request: Any,
    ) -> GuardedCompletion | GuardedStream:
        """Ask the model, and check what it answers.

        Where the policy regenerates, the same request is sent again with the answer and the feedback as messages.
        Choices that call tools or refuse are left as they are, and have no GuardedAnswer.

        Args:
            messages: As for the model.
            passages: What the answer is checked against: see Guard.check. ``[]`` for none.
            question: What was asked; default: the last message of the user.
            policy: Instead of the guard's own; or the name of one of its ``policies``.
            mode: Instead of the client's own, for a stream.
            answer_field: Where the model answers in JSON, the field that holds the answer; the others are left alone.
            request: The request, as the vendor documents it: ``model``, ``stream``, ...

        Raises:
            UsageError: there are no passages, or the answer cannot be checked: speech, a stream of several answers.
            openai.OpenAIError: as the client within.
        """
        asked = read_request(
            self._settings, {"messages": messages, **request},
            question=question, policy=policy, mode=mode, field=answer_field,
        )  # fmt: skip
        return run(self._created(asked, passages, GuardedStream))

    def parse(
        self,
        *,
        messages: Iterable[Any],
        response_format: type[T],
        passages: Iterable[PassageLike] | None = None,
        question: str | None = None,
        policy: Policy | str | None = None,
        answer_field: str | None = None,
        **request: Any,
    ) -> GuardedParsedCompletion[T]:
        """Ask the model for an object, and check the field of it that holds the answer.

        The object keeps its type and its other fields; where the answer is blocked, the refusal stands in the field.

        Args:
            messages: See create, as for ``passages``, ``question``, ``policy`` and ``request``.
            response_format: The type of the object, as the vendor documents it.
            passages: See create.
            question: See create.
            policy: See create.
            answer_field: The field that holds the answer; default: ``answer``, ``response`` or the like, else the
                longest free text by the schema.
            request: See create.

        Raises:
            UsageError: as create, or no field holds free text.
            openai.OpenAIError: as the client within.
        """
        asked = read_request(
            self._settings, {"messages": messages, "response_format": response_format, **request},
            question=question, policy=policy, field=answer_field,
        )  # fmt: skip
        return run(self._parsed(asked, passages))


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
        policy: Policy | str | None = None,
        mode: Mode | None = None,
        answer_field: str | None = None,
        **request: Any,
    ) -> GuardedCompletion | GuardedAsyncStream:
        """See Completions.create; the event loop is not blocked."""
        asked = read_request(
            self._settings, {"messages": messages, **request},
            question=question, policy=policy, mode=mode, field=answer_field,
        )  # fmt: skip
        return await arun(self._created(asked, passages, GuardedAsyncStream))

    async def parse(
        self,
        *,
        messages: Iterable[Any],
        response_format: type[T],
        passages: Iterable[PassageLike] | None = None,
        question: str | None = None,
        policy: Policy | str | None = None,
        answer_field: str | None = None,
        **request: Any,
    ) -> GuardedParsedCompletion[T]:
        """See Completions.parse; the event loop is not blocked."""
        asked = read_request(
            self._settings, {"messages": messages, "response_format": response_format, **request},
            question=question, policy=policy, field=answer_field,
        )  # fmt: skip
        return await arun(self._parsed(asked, passages))
