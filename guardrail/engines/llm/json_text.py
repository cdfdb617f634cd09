"""The JSON object in a model's reply. Prose, code fences and thoughts around it are passed over; nothing is repaired.

Where it is not plain which object is meant, there is none: an object that a broken reply only contains, or a second
one that the reply quotes, must not be taken for the reply.
"""

from __future__ import annotations

import json
import re
from typing import Any

_START = re.compile(r"\{(?=\s*[\"}])|\[(?=\s*[\[{])")  # other braces are prose
_THOUGHTS_END = re.compile(r"</think(?:ing)?>")


def read_object(text: str) -> dict[str, Any] | None:
    """The object, or None where the text holds none, a broken or cut one, or several that differ.

    Line ends inside strings pass, as weak models write them; NaN and Infinity, which JSON lacks, do not.
    """
    decoder = json.JSONDecoder(strict=False, parse_constant=_refuse)
    found: dict[str, Any] | None = None
    text = _without_thoughts(text)
    start = _START.search(text)
    while start is not None:
        try:
            value, end = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            return None  # what stands inside a broken object is a part of a reply, not a reply
        if not isinstance(value, dict) or found not in (None, value):
            return None
        found = value
        start = _START.search(text, end)
    return found


def _without_thoughts(text: str) -> str:
    if text.lstrip("\ufeff \t\r\n`jsonJSON").startswith("{"):
        return text
    end = _THOUGHTS_END.search(text)
    return text if end is None else text[end.end() :]


def _refuse(constant: str) -> Any:
    raise ValueError(constant)
