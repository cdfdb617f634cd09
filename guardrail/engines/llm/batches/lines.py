"""Lines of a file of results, read without trust."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def read_lines(data: bytes) -> Iterator[dict[str, Any]]:
    """Lines that are JSON objects with an id; others are as if they were not there."""
    for text in data.split(b"\n"):
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(line, dict) and isinstance(line.get("custom_id"), str):
            yield line
