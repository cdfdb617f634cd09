"""A message as Anthropic's endpoint sends it."""

from __future__ import annotations

from typing import Any

GOOD = '{"verdict": "supported"}'


def message(text: str = GOOD, **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 70, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 10, "output_tokens": 5}
    made = {"model": "claude-9", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": usage}
    return {**made, **more}
