"""Chat completions with checked text in the place of the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from pydantic import PrivateAttr

from guardrail.types import GuardedAnswer


class GuardedCompletion(ChatCompletion):
    """A ChatCompletion that also knows what the guard found; its dumps and fields are those of a ChatCompletion."""

    _guardrails: tuple[GuardedAnswer | None, ...] = PrivateAttr(default=())

    @property
    def guardrail(self) -> GuardedAnswer | None:
        """Of the first choice; None where there was no text to check (tool calls, a refusal)."""
        return self.guardrails[0] if self.guardrails else None

    @property
    def guardrails(self) -> tuple[GuardedAnswer | None, ...]:
        """One per choice, in order."""
        return self._guardrails

    @classmethod
    def of(cls, completion: ChatCompletion, guarded: Sequence[GuardedAnswer | None]) -> Self:
        """The completion with the delivered texts; ``guarded`` has one item per choice."""
        choices = [_delivered(choice, each) for choice, each in zip(completion.choices, guarded, strict=True)]
        values = _values(completion) | (completion.model_extra or {}) | {"choices": choices}
        return cls.construct(None, **values).set_guardrails(tuple(guarded), completion)

    def set_guardrails(self, guarded: tuple[GuardedAnswer | None, ...], completion: ChatCompletion) -> Self:
        """Itself, with what fields do not hold."""
        self.model_post_init(None)  # the vendor's construct leaves private attributes out
        self._guardrails = guarded
        self._request_id = getattr(completion, "_request_id", None)
        return self


def text_of(choice: Choice) -> str | None:
    """The text to check; None where there is none, or where it only goes along with calls of tools."""
    message = choice.message
    return None if message.tool_calls or message.function_call else message.content or None


def _delivered(choice: Choice, guarded: GuardedAnswer | None) -> Choice:
    message = choice.message
    if message.tool_calls or message.function_call:
        return choice
    # Endpoints put drafts and reasoning beside the content, in fields of their own: nobody has checked them.
    kept = _values(message)
    if guarded is None or guarded.text == message.content:
        return choice.model_copy(update={"message": ChatCompletionMessage.construct(None, **kept)})
    # Tokens with their probabilities are the withheld text again; annotations have offsets in it.
    kept |= {"content": guarded.text, "annotations": None}
    values = _values(choice) | {"message": ChatCompletionMessage.construct(None, **kept), "logprobs": None}
    return Choice.construct(None, **values)


def _values(model: ChatCompletion | Choice | ChatCompletionMessage) -> dict[str, Any]:
    """The fields that were set, without extra ones."""
    return {name: getattr(model, name) for name in type(model).model_fields if name in model.model_fields_set}
