"""HTTP on this machine: past any proxy that the environment names."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def get(url: str) -> str:
    """The text of a page; OSError without a reply, or for an error status."""
    with _OPENER.open(url, timeout=10) as reply:
        return str(reply.read().decode())


def post(url: str, body: dict[str, Any]) -> dict[str, Any]:
    """POST JSON and read the JSON of the reply; OSError as ``get``."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310
    with _OPENER.open(request, timeout=10) as reply:
        said: dict[str, Any] = json.load(reply)
        return said
