"""The text of an answer in LangChain's types, the same value with another text in it, and what was found, as JSON."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from pydantic import BaseModel

from guardrail import GuardedAnswer, UsageError
from guardrail.wrap.answer_field import replaced as replaced_field
from guardrail.wrap.answer_field import text_in

_NAME = 64
"""Length of what may be a model's name or a request's id in metadata; longer text may be the answer's."""

PHRASE = 20
"""From this length on, an answer is also recognised inside a longer text."""


def text_of(value: Any) -> str:
    """The answer's text.

    Raises:
        UsageError: neither str nor message nor None.
    """
    if value is None:  # a chain that found nothing: an empty answer, which nobody can judge
        return ""
    if isinstance(value, BaseMessage):
        return str(value.text) if isinstance(value.text, str) else str(value.content)
    if isinstance(value, str):
        return str(value)
    raise UsageError(f"the chain's answer must be a str or a message, got {type(value).__name__}.")


def replaced(value: Any, text: str, about: Mapping[str, Any] | None = None) -> Any:
    """The answer with another text: a message keeps its class, id and usage, and gets ``about`` as metadata.

    Models put drafts, reasoning and log-probabilities beside the content: where the text changes, they go, since they
    would carry the withheld text along.
    """
    if not isinstance(value, BaseMessage):
        return text
    if text_of(value) != text:
        return rewritten(value, text, about)
    if about is None:
        return value
    return value.model_copy(update={"response_metadata": {**value.response_metadata, "guardrail": dict(about)}})


def rewritten(message: BaseMessage, text: str, about: Mapping[str, Any] | None = None) -> Any:
    """The message with a text, and without all that models put beside it."""
    added = {"guardrail": dict(about)} if about is not None else {}
    update: dict[str, Any] = {
        "content": text,
        "additional_kwargs": {},
        "response_metadata": {**without_text_metadata(message.response_metadata), **added},
    }
    if isinstance(message, AIMessageChunk):
        update["tool_call_chunks"] = []
    if isinstance(message, AIMessage):
        update |= {"tool_calls": [], "invalid_tool_calls": []}
    return message.model_copy(update=update)


def replaced_in(value: Any, field: str, text: str) -> Any:
    """A structured answer of the same type with another text in its field; others that repeat the answer get it, too.

    Short answers ("high") may stand in another field for another reason: there they stay.
    """
    said = text_in(value, field)
    return replaced_field(scrub(value, said, text) if len(said.strip()) >= PHRASE else value, field, text)


def without_text_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata without anything that may spell the answer: numbers, short names, and mappings of these."""
    kept: dict[str, Any] = {}
    for key, value in metadata.items():
        if isinstance(value, Mapping):
            kept[key] = without_text_metadata(value)
        elif value is None or isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) <= _NAME):
            kept[key] = value
    return kept


def scrub(value: Any, answer: str, text: str) -> Any:
    """A value of the chain's output with the delivered text wherever it repeats the answer; documents stay."""
    if isinstance(value, str):
        plain = answer.strip()
        if value.strip() == plain:
            return text
        return value.replace(plain, text) if len(plain) >= PHRASE and plain in value else value
    if isinstance(value, BaseMessage):
        said = text_of(value)
        new = scrub(said, answer, text)
        if new != said:
            return replaced(value, new)
    if isinstance(value, Document):
        return value
    if isinstance(value, BaseModel):
        names = (*type(value).model_fields, *(value.model_extra or {}))
        return _changed(value, {n: getattr(value, n) for n in names if hasattr(value, n)}, answer, text)
    if is_dataclass(value) and not isinstance(value, type):
        return _changed(
            value, {f.name: getattr(value, f.name) for f in fields(value) if hasattr(value, f.name)}, answer, text
        )
    if isinstance(value, Mapping):
        return {scrub(key, answer, text): scrub(each, answer, text) for key, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(scrub(each, answer, text) for each in value))
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(scrub(each, answer, text) for each in value)
    return value


def _changed(value: Any, held: Mapping[str, Any], answer: str, text: str) -> Any:
    """An object with its fields scrubbed; the same one where none repeats the answer."""
    new = {name: scrub(each, answer, text) for name, each in held.items()}
    new = {name: each for name, each in new.items() if each is not held[name] and each != held[name]}
    if not new:
        return value
    if isinstance(value, BaseModel):
        return value.model_copy(update=new)
    value = copy.copy(value)
    for name, each in new.items():
        object.__setattr__(value, name, each)  # frozen ones too
    return value


def summary(guarded: GuardedAnswer) -> dict[str, Any]:
    """What was found, as plain JSON for messages and states: ``GuardedAnswer.to_dict``, without withheld texts."""
    return {"checked": True, **guarded.to_dict()}


def unchecked(reason: str) -> dict[str, Any]:
    """The same for an answer that was delivered without a check."""
    return {"checked": False, "reason": reason}
