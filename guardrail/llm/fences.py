"""Data inside prompts: JSON between fences that nothing inside it can close or imitate.

Answers, passages and questions are texts of strangers. Each goes in as JSON in which ``<`` and ``>`` are escaped, so no
text of theirs can hold a fence, a chat template's control token or a tag; line ends are escaped by JSON itself, so no
text of theirs starts a line.
"""

from __future__ import annotations

import json
import re
from typing import Any

_FENCE = re.compile(r"^<data name=\"([a-z_]+)\">\n(.*)\n</data>$", re.MULTILINE)
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", 0x2028: "\\u2028", 0x2029: "\\u2029", 0x85: "\\u0085"}


def fence(name: str, value: Any) -> str:
    """``value`` as one line of JSON inside a fence.

    Args:
        name: Lower-case letters and underscores; the instructions speak of the data by it.
        value: Anything that JSON can hold; lone surrogates, which UTF-8 cannot, become U+FFFD.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    safe = re.sub("[\ud800-\udfff]", "\ufffd", text).translate(_ESCAPES)
    return f'<data name="{name}">\n{safe}\n</data>'


def unfence(prompt: str) -> dict[str, Any]:
    """The data of a prompt by name: what a scripted model reads (guardrail.testing)."""
    return {name: json.loads(text) for name, text in _FENCE.findall(prompt)}
