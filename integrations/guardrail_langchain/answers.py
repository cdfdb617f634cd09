"""The text of an answer in LangChain's types, and the same value with another text in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from guardrail import UsageError

_NAME = 64
"""Length of what may be a model's name or a request's id in metadata; longer text may be the answer's."""

_PHRASE = 20
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
    added = {"guardrail": dict(about)} if about is not None else {}
    if text_of(value) == text:
        if not added:
            return value
        return value.model_copy(update={"response_metadata": {**value.response_metadata, **added}})
    update: dict[str, Any] = {
        "content": text,
        "additional_kwargs": {},
        "response_metadata": {**harmless(value.response_metadata), **added},
    }
    if isinstance(value, AIMessageChunk):
        update["tool_call_chunks"] = []
    if isinstance(value, AIMessage):
        update |= {"tool_calls": [], "invalid_tool_calls": []}
    return value.model_copy(update=update)


def harmless(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata without anything that may spell the answer: numbers, short names, and mappings of these."""
    kept: dict[str, Any] = {}
    for key, value in metadata.items():
        if isinstance(value, Mapping):
            kept[key] = harmless(value)
        elif value is None or isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) <= _NAME):
            kept[key] = value
    return kept


def cleansed(value: Any, answer: str, text: str) -> Any:
    """A value of the chain's output with the delivered text wherever it repeats the answer; documents stay."""
    if isinstance(value, str):
        plain = answer.strip()
        if value.strip() == plain:
            return text
        return value.replace(plain, text) if len(plain) >= _PHRASE and plain in value else value
    if isinstance(value, BaseMessage):
        said = text_of(value)
        new = cleansed(said, answer, text)
        return value if new == said else replaced(value, new)
    if isinstance(value, Mapping):
        return {key: cleansed(each, answer, text) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(cleansed(each, answer, text) for each in value)
    return value
