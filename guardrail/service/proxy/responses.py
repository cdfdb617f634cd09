"""``/responses``: where the texts of a reply stand, and the reply with the delivered ones. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from guardrail.retrieval.request.documents import documents_of
from guardrail.retrieval.request.found import Found
from guardrail.service.proxy.answers import Checked
from guardrail.service.proxy.json_text import Path, dumps, edited, items, replaced, spans, with_one
from guardrail.service.proxy.options import ProxySettings
from guardrail.types import Span

CALLS: Final = frozenset(
    "apply_patch_call computer_call custom_tool_call function_call local_shell_call mcp_approval_request "
    "shell_call".split()
)
"""Items that ask the caller to act: text beside them is no answer yet."""


def is_response(reply: Mapping[str, Any]) -> bool:
    """Whether it is a reply that can be read."""
    output = reply.get("output")
    return isinstance(output, list) and all(isinstance(item, Mapping) for item in output)


def calls_tools(reply: Mapping[str, Any]) -> bool:
    """Whether it asks the caller to act."""
    return any(item.get("type") in CALLS for item in reply["output"])


def texts(reply: Mapping[str, Any]) -> list[tuple[Path, str]]:
    """The texts to check, with their places: the number of the item first."""
    if calls_tools(reply):
        return []
    found: list[tuple[Path, str]] = []
    for number, item in enumerate(reply["output"]):
        content = item.get("content") if item.get("type") == "message" else None
        for at, part in enumerate(content if isinstance(content, list) else ()):
            text = part.get("text") if isinstance(part, Mapping) and part.get("type") == "output_text" else None
            if isinstance(text, str) and text:
                found.append(((number, "content", at, "text"), text))
    return found


def looked_up(output: Any) -> list[Found]:
    """What the upstream's own search found (``include=["file_search_call.results"]``), and what its tools returned."""
    found: list[Found] = []
    for number, item in enumerate(output if isinstance(output, list) else ()):
        kind = item.get("type") if isinstance(item, Mapping) else None
        name = {"file_search_call": "results", "mcp_call": "output"}.get(str(kind))
        value = item.get(name) if name is not None else None
        passages = documents_of([value] if isinstance(value, str) else value) or []
        found += [Found(passage=each, kind=str(kind), place=f"output[{number}].{name}") for each in passages]
    return found


def delivered(
    text: str, reply: Mapping[str, Any], checks: Sequence[tuple[Path, Checked]], options: ProxySettings
) -> str:
    """The reply with the delivered texts; every byte of the rest is as it was. See chat.delivered."""
    if calls_tools(reply):
        return text
    text = with_one(text, "output")
    edits: list[tuple[Span, str]] = []
    for output in spans(text, ("output",)):
        for number, span in enumerate(items(text, output.start)):
            own = [(path[1:], each) for path, each in checks if path[0] == number]
            edits.append((span, delivered_item(span.of(text), reply["output"][number], own, options)))
    text = edited(text, edits)
    if any(each.blocked and not each.structured for _, each in checks) and options.block == "content_filter":
        text = replaced(text, ("status",), '"incomplete"')
        text = replaced(text, ("incomplete_details",), '{"reason":"content_filter"}')
    if "output_text" in reply and any(each.changed for _, each in checks):  # some endpoints join the texts
        text = replaced(text, ("output_text",), dumps("".join(each.text for _, each in checks)))
    return text


def delivered_item(
    text: str, item: Mapping[str, Any], checks: Sequence[tuple[Path, Checked]], options: ProxySettings
) -> str:
    """One item of the output: a message with its delivered texts, thoughts without their words."""
    if item.get("type") == "reasoning" and options.thoughts == "drop":
        text = replaced(text, ("summary",), "[]")
        return replaced(text, ("content",), "null") if item.get("content") is not None else text
    for path, checked in checks:
        if checked.changed:
            text = delivered_part(text, path[:-1], checked, options)
    return text


def delivered_part(text: str, path: Path, checked: Checked, options: ProxySettings) -> str:
    """One part of a content at a path. Annotations have offsets in the withheld text, and probabilities its tokens."""
    if checked.blocked and (options.block == "refusal" or (checked.structured and not checked.text.startswith("{"))):
        said = checked.guarded.text if checked.guarded is not None else checked.text
        refusal = dumps({"type": "refusal", "refusal": said})
        return edited(text, [(span, refusal) for span in spans(text, path)])
    text = replaced(text, (*path, "text"), dumps(checked.text))
    for name, empty in (("annotations", "[]"), ("logprobs", "[]")):
        if spans(text, (*path, name)):
            text = replaced(text, (*path, name), empty)
    return text
