"""Completions and responses with checked text in the place of the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Self, TypeVar

from openai import BaseModel
from openai.types.chat import ChatCompletion, ParsedChatCompletion
from openai.types.chat.chat_completion import Choice
from pydantic import PrivateAttr

from guardrail.types import GuardedAnswer
from guardrail.wrap.written import Written, written

Parsed = TypeVar("Parsed")

Checked = tuple[Written, GuardedAnswer]
"""What is delivered of one text, and what the guard found."""


class Guardrails(BaseModel):
    """What the guard found in a reply of the model; in no dump of it."""

    _guardrails: tuple[GuardedAnswer | None, ...] = PrivateAttr(default=())

    @property
    def guardrail(self) -> GuardedAnswer | None:
        """Of the first choice; None where there was no text to check (tool calls, a refusal)."""
        return self.guardrails[0] if self.guardrails else None

    @property
    def guardrails(self) -> tuple[GuardedAnswer | None, ...]:
        """One per choice, in order."""
        return self._guardrails

    def set_guardrails(self, guarded: tuple[GuardedAnswer | None, ...], reply: BaseModel) -> Self:
        """Itself, with what fields do not hold."""
        self.model_post_init(None)  # the vendor's construct leaves private attributes out
        self._guardrails = guarded
        self._request_id = getattr(reply, "_request_id", None)
        return self

    @classmethod
    def made_of(cls, reply: BaseModel, guarded: Sequence[GuardedAnswer | None], **changes: Any) -> Self:
        """The reply with other values of fields, and what the guard found."""
        values = values_of(reply) | (reply.model_extra or {}) | changes
        return cls.construct(None, **values).set_guardrails(tuple(guarded), reply)


class GuardedCompletion(Guardrails, ChatCompletion):
    """A ChatCompletion that also knows what the guard found; its dumps and fields are those of a ChatCompletion."""

    @classmethod
    def of(cls, completion: ChatCompletion, checked: Sequence[Checked | None]) -> Self:
        """The completion with the delivered texts; ``checked`` has one item per choice."""
        choices = [_delivered(choice, each) for choice, each in zip(completion.choices, checked, strict=True)]
        return cls.made_of(completion, [each and each[1] for each in checked], choices=choices)


class GuardedParsedCompletion(ParsedChatCompletion[Parsed], GuardedCompletion, Generic[Parsed]):
    """The same for a ParsedChatCompletion: ``message.parsed`` holds the delivered text in the answer's field."""


def written_in(choice: Choice, field: str | None) -> Written | None:
    """What to check of a choice; None where there is nothing, or where text only goes along with calls of tools."""
    message = choice.message
    if message.tool_calls or message.function_call:
        return None
    return written(message.content, getattr(message, "parsed", None), field)


def _delivered(choice: Choice, checked: Checked | None) -> Choice:
    message = choice.message
    if message.tool_calls or message.function_call:
        return choice
    # Endpoints put drafts and reasoning beside the content, in fields of their own: nobody has checked them.
    kept = values_of(message)
    if checked is None or checked[0].text == message.content:
        return choice.model_copy(update={"message": type(message).construct(None, **kept)})
    # Tokens with their probabilities are the withheld text again; annotations have offsets in it.
    kept |= {"content": checked[0].text, "annotations": None}
    if "parsed" in kept:
        kept["parsed"] = checked[0].value
    values = values_of(choice) | {"message": type(message).construct(None, **kept), "logprobs": None}
    return type(choice).construct(None, **values)


def values_of(model: BaseModel) -> dict[str, Any]:
    """The fields that were set, without extra ones."""
    return {name: getattr(model, name) for name in type(model).model_fields if name in model.model_fields_set}
