"""The data of a prompt, as scripted models read it."""

from __future__ import annotations

import json
import re
from typing import Any

_FENCE = re.compile(r"^<data name=\"([a-z_]+)\">\n(.*)\n</data>$", re.MULTILINE)


def unfence(prompt: str) -> dict[str, Any]:
    """By name, what ``guardrail.engines.llm.prompts.fence`` wrote."""
    return {name: json.loads(text) for name, text in _FENCE.findall(prompt)}
