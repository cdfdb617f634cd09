"""``/chat/completions``: where the texts of a reply stand, and the reply with the delivered ones. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from guardrail.service.proxy.answers import Checked
from guardrail.service.proxy.json_text import Path, dumps, edited, items, replaced, spans, with_one, without
from guardrail.service.proxy.options import ProxySettings
from guardrail.types import Span

THOUGHTS: Final = ("reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks", "thought")
"""Fields beside the content in which vendors put what the model thinks."""

_KEPT: Final = ("role", "content", "refusal", "tool_calls", "function_call")
"""What stays of a message of which another text is delivered: other fields may hold the withheld words again."""


def calls_tools(message: Mapping[str, Any]) -> bool:
    """Whether it asks the caller to act: text beside that is no answer yet."""
    return bool(message.get("tool_calls") or message.get("function_call"))


def is_completion(reply: Mapping[str, Any]) -> bool:
    """Whether it is a reply that can be read."""
    choices = reply.get("choices")
    return isinstance(choices, list) and all(isinstance(choice, Mapping) for choice in choices)


def texts(reply: Mapping[str, Any]) -> list[tuple[Path, str]]:
    """The texts to check, with their places: the number of the choice first."""
    found: list[tuple[Path, str]] = []
    for number, choice in enumerate(reply["choices"]):
        message = choice.get("message")
        if not isinstance(message, Mapping) or calls_tools(message):
            continue
        content = message.get("content")
        if isinstance(content, str) and content:
            found.append(((number, "message", "content"), content))
        for at, part in enumerate(content if isinstance(content, list) else ()):
            text = part.get("text") if isinstance(part, Mapping) and part.get("type") == "text" else None
            if isinstance(text, str) and text:
                found.append(((number, "message", "content", at, "text"), text))
    return found


def delivered(
    text: str, reply: Mapping[str, Any], checks: Sequence[tuple[Path, Checked]], options: ProxySettings
) -> str:
    """The reply with the delivered texts; every byte of the rest is as it was.

    Args:
        text: The reply.
        reply: The same, read.
        checks: Of each text that was checked, by its place.
        options: Of the proxy.
    """
    if not any(each.changed for _, each in checks) and not any(map(_may_think, reply["choices"])):
        return text
    text = with_one(text, "choices")
    edits: list[tuple[Span, str]] = []
    for choices in spans(text, ("choices",)):
        for number, span in enumerate(items(text, choices.start)):
            own = [(path[1:], each) for path, each in checks if path[0] == number]
            edits.append((span, _choice(span.of(text), reply["choices"][number], own, options)))
    return edited(text, edits)


def _choice(
    text: str, choice: Mapping[str, Any], checks: Sequence[tuple[Path, Checked]], options: ProxySettings
) -> str:
    message = choice.get("message")
    if not isinstance(message, Mapping) or calls_tools(message):
        return text
    if options.thoughts == "drop":
        text = without(text, ("message",), *THOUGHTS)
    for path, checked in checks:
        if not checked.changed:
            continue
        text = replaced(text, path, dumps(checked.text))
        text = without(text, ("message",), *(name for name in message if name not in _KEPT))
        if "logprobs" in choice:  # tokens with their probabilities are the withheld text again
            text = replaced(text, ("logprobs",), "null")
        if checked.blocked:
            text = _blocked(text, checked, options)
    return _without_thinking_parts(text) if options.thoughts == "drop" else text


def _may_think(choice: Mapping[str, Any]) -> bool:
    """Whether a choice may hold what the model thought."""
    message = choice.get("message")
    if not isinstance(message, Mapping):
        return False
    return isinstance(message.get("content"), list) or any(name in message for name in THOUGHTS)


def _blocked(text: str, checked: Checked, options: ProxySettings) -> str:
    if options.block == "refusal" or (checked.structured and not checked.text.startswith("{")):
        said = checked.guarded.text if checked.guarded is not None else checked.text
        text = replaced(text, ("message", "content"), "null")
        return replaced(text, ("message", "refusal"), dumps(said))
    # Parsers of structured answers raise on content_filter; there the message stands in the field of the answer.
    return text if checked.structured else replaced(text, ("finish_reason",), '"content_filter"')


def _without_thinking_parts(text: str) -> str:
    """Of a content in parts (Mistral's), the parts that are no thoughts."""
    edits = []
    for content in spans(text, ("message", "content")):
        parts = list(items(text, content.start)) if text[content.start] == "[" else []
        kept = [part.of(text) for part in parts if not _thinks(json.loads(part.of(text)))]
        if len(kept) < len(parts):
            edits.append((content, f"[{','.join(kept)}]"))
    return edited(text, edits)


def _thinks(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") in ("thinking", "reasoning")
