"""Requests as the vendors' clients send them, and the exact responses to them."""

import json
from pathlib import Path

import httpx
import pytest

GOLDEN = Path(__file__).parent / "golden"
FILES = {file.stem: json.loads(file.read_text("utf-8")) for file in sorted(GOLDEN.glob("*.json"))}
CASES = [pytest.param(name, case, id=f"{name}-{case['name']}") for name, cases in FILES.items() for case in cases]


def send(case, url):
    body = case["body"] if isinstance(case.get("body"), str) else json.dumps(case.get("body"))
    headers = {"content-type": "application/json", **case.get("headers", {})}
    return httpx.request(case.get("method", "POST"), url + case["path"], content=body, headers=headers)


@pytest.mark.parametrize(("dialect", "case"), CASES)
def test_exact_response(dialect, case, url):
    for before in FILES[dialect]:
        if before["name"] == case.get("after"):
            assert send(before, url).status_code == 200
    reply = send(case, url)
    assert reply.json() == case["response"]
    assert reply.status_code == case.get("status", 200)
    for name, value in case.get("response_headers", {}).items():
        assert reply.headers[name] == value


def test_all_dialects_have_golden_cases():
    from guardrail.service import dialects

    assert {dialect.__name__.rpartition(".")[2] for dialect in dialects.DIALECTS} == set(FILES)
