"""Which of our prompts a request asks, and the data in it: how scripted models read."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Any

from guardrail.engines.llm.prompts import instructions
from guardrail.testing.chat_reply import Body, message_text
from tests.support.fences import unfence

_BY_KEYS = {
    frozenset({"who", "segments", "no_claim", "abstains"}): "decompose",
    frozenset({"who", "points"}): "judge",
    frozenset({"points"}): "review",
    frozenset({"analysis", "answer"}): "rewrite",
}


def prompt_name(body: Body) -> str | None:
    """The name of the prompt file, such as ``judge``; None for a request that is none of ours.

    Told by the instructions, which stand in the system message word for word; else by the keys of the reply's schema;
    else by the data blocks (``review`` then counts as ``judge``).
    """
    system = "\n".join(message_text(m) for m in _messages(body) if m.get("role") != "user")
    for name, text in _known():
        if text in system:
            return name
    required = frozenset(reply_schema(body).get("required") or ())
    if required in _BY_KEYS:
        return _BY_KEYS[required]
    data = request_data(body)
    if "documents" in data and "segments" in data:
        return "judge"
    return "decompose" if isinstance(data.get("answer"), list) else None


def request_data(body: Body) -> dict[str, Any]:
    """The data blocks of the user messages, by name."""
    data: dict[str, Any] = {}
    for message in _messages(body):
        if message.get("role") == "user":
            data |= unfence(message_text(message))
    return data


def reply_schema(body: Body) -> dict[str, Any]:
    """The JSON schema that the request wants its reply to have; {} if it sends none."""
    form = body.get("response_format")
    wanted = form.get("json_schema") if isinstance(form, dict) else None
    schema = wanted.get("schema") if isinstance(wanted, dict) else None
    return schema if isinstance(schema, dict) else {}


def _messages(body: Body) -> list[dict[str, Any]]:
    return [m for m in body.get("messages") or () if isinstance(m, dict)]


@lru_cache
def _known() -> tuple[tuple[str, str], ...]:
    """Names and instructions of all prompt files, in all languages; the longest first."""
    files = [f.name.split(".") for f in resources.files("guardrail.engines.llm").joinpath("prompts").iterdir()]
    found = [(name, instructions(name, language).text) for name, language, kind in files if kind == "md"]
    return tuple(sorted(found, key=lambda pair: -len(pair[1])))
