"""Requests as the clients of vendors send them, with the exact responses to them (tests/service/dialects/golden)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

FOLDER = Path(__file__).parents[1] / "service" / "dialects" / "golden"


def golden(dialect: str) -> list[Any]:
    """The cases of a dialect, each with its name; one that needs another one before it holds that one, too."""
    known = {case["name"]: case for case in json.loads((FOLDER / f"{dialect}.json").read_text("utf-8"))}
    return [
        pytest.param([*([known[case["after"]]] if "after" in case else []), case], id=name)
        for name, case in known.items()
    ]


def answers_exactly(url: str, cases: list[dict[str, Any]]) -> None:
    """Send the cases to a service; the last one's response has to be just that."""
    for before in cases[:-1]:
        assert _send(url, before).status_code == 200
    case = cases[-1]
    reply = _send(url, case)
    assert reply.json() == case["response"]
    assert reply.status_code == case.get("status", 200)
    for name, value in case.get("response_headers", {}).items():
        assert reply.headers[name] == value


def _send(url: str, case: Mapping[str, Any]) -> httpx.Response:
    body = case["body"] if isinstance(case.get("body"), str) else json.dumps(case.get("body"))
    headers = {"content-type": "application/json", **case.get("headers", {})}
    return httpx.request(case.get("method", "POST"), url + case["path"], content=body, headers=headers)


def refused_in_form(url: str, path: str, *keys: str, unauthorized: int = 401, too_large: int = 413) -> None:
    """Without a key, and with a body that is too large: refused by the layers before the routes, in the vendor's form.

    ``keys`` lead to a value of the JSON that the vendor's clients read.
    """
    refused = httpx.post(url + path, json={})
    assert refused.status_code == unauthorized
    large = httpx.post(url + path, json={"x": "y" * 2_000}, headers={"authorization": "Bearer grk_right"})
    assert large.status_code == too_large
    for reply in (refused, large):
        inner = reply.json()
        for key in keys:
            inner = inner[key]
        assert inner
