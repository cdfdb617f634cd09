"""Requests as the vendors' clients send them, and the exact responses to them."""

import json
from pathlib import Path

import httpx
import pytest

GOLDEN = Path(__file__).parent / "golden"
CASES = [
    pytest.param(case, id=f"{file.stem}-{case['name']}")
    for file in sorted(GOLDEN.glob("*.json"))
    for case in json.loads(file.read_text("utf-8"))
]


@pytest.mark.parametrize("case", CASES)
def test_exact_response(case, url):
    body = case["body"] if isinstance(case.get("body"), str) else json.dumps(case.get("body"))
    headers = {"content-type": "application/json", **case.get("headers", {})}
    reply = httpx.request(case.get("method", "POST"), url + case["path"], content=body, headers=headers)
    assert reply.json() == case["response"]
    assert reply.status_code == case.get("status", 200)
    for name, value in case.get("response_headers", {}).items():
        assert reply.headers[name] == value


def test_all_dialects_have_golden_cases():
    from guardrail.service import dialects

    assert {dialect.__name__.rpartition(".")[2] for dialect in dialects.DIALECTS} == {f.stem for f in GOLDEN.glob("*")}
