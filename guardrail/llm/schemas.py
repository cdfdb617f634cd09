"""The wanted form of a reply in words, for endpoints that cannot be held to a JSON schema."""

from __future__ import annotations

import json
import re

from guardrail.llm.protocol import Prompt


def system_with_schema(prompt: Prompt) -> str:
    """The instructions, and after them the schema: the same for every answer, so that prompt caches hold it."""
    if prompt.schema is None:
        return prompt.system
    schema = json.dumps(prompt.schema, ensure_ascii=False, separators=(",", ":"))
    return f"{prompt.system}\n\nReply with one JSON object and nothing else. Its JSON schema:\n{schema}"


def schema_name(prompt: Prompt) -> str:
    """A name that endpoints accept, from the prompt's identity."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", prompt.identity)[:64] or "reply"
