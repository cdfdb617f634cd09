"""What goes in and out at the door: ids, headers, paths, errors, the log."""

from __future__ import annotations

import json
import logging

import pytest

from tests.support.services import RIVER, served, wait_until


def test_a_request_id_comes_back(plain):
    assert plain.get("/healthz", headers={"X-Request-Id": "abc-1.2:3"}).headers["x-request-id"] == "abc-1.2:3"


@pytest.mark.parametrize("given", ["a b", "x" * 129, "a\tSet-Cookie", "é".encode(), "%0d%0aSet-Cookie: a=b", ""])
def test_one_that_is_none_does_not(plain, given):
    reply = plain.get("/healthz", headers={"X-Request-Id": given})
    assert len(reply.headers["x-request-id"]) == 16
    assert "set-cookie" not in reply.headers


def test_no_header_comes_out_of_a_body(plain):
    body = {**RIVER, "id": "a\r\nSet-Cookie: a=b", "guard": "x\r\nSet-Cookie: a=b"}
    assert "set-cookie" not in plain.post("/v1/check", body).headers
    raw = plain.raw(
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: a\nSet-Cookie: a=b\r\nConnection: close\r\n\r\n"
    )
    assert b"set-cookie: a" not in raw.lower()


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd", "/v1/%2e%2e/%2e%2e/etc/passwd", "/v1/check/", "//v1/check", "/v1//check", "/v1/check%00",
        "/V1/CHECK", "/v1/check;x", "/healthz/../v1/guards", "/v1/%63heck/../guards", "http://other.example/x",
    ],
)  # fmt: skip
def test_paths_that_are_none(plain, path):
    raw = plain.raw(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert raw.split()[1] in {b"404", b"400"}, raw
    assert b"location:" not in raw.lower()


def test_an_open_path_opens_no_other():
    key = {"name": "a", "hash": "sha256:" + "0" * 64}
    with served(keys=[key]) as one:
        for path in (
            "/healthz/../v1/guards",
            "/healthz%2f..%2fv1%2fguards",
            "/healthz?x=/v1/guards",
            "/v1/guards#/healthz",
        ):
            raw = one.raw(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            assert b"guards" not in raw.partition(b"\r\n\r\n")[2], path


def test_a_fault_of_ours_tells_nothing(monkeypatch, caplog):
    with served() as one:
        monkeypatch.setattr(one.service.pool, "do", _fails)
        with caplog.at_level(logging.INFO, "guardrail.service"):
            reply = one.post("/v1/check", {**RIVER, "answer": "my secret answer"})
    assert reply.status_code == 500
    assert "secret" not in reply.text
    line = next(record.fields for record in caplog.records if getattr(record, "fields", {}).get("status") == 500)
    assert line["error"].startswith("RuntimeError test_door.py:")
    assert line["request"] == reply.headers["x-request-id"]
    assert "secret" not in json.dumps(
        [str(vars(record)) for record in caplog.records if record.name.startswith("guardrail.service")]
    )


async def _fails(*_):
    raise RuntimeError("my secret answer")


def test_the_log_holds_no_text(plain, caplog):
    secret = "Zanzibar"
    body = {"answer": f"{secret} is wrong.", "passages": [secret], "question": secret, "id": secret}
    with caplog.at_level(logging.DEBUG):
        plain.post(f"/v1/run?q={secret}", body, headers={"Authorization": f"Bearer {secret}", "X-Request-Id": "r1"})
        plain.get(f"/{secret}")
        plain.post("/v1/run", {**body, "guard": secret})
        wait_until(lambda: sum(hasattr(record, "fields") for record in caplog.records) >= 3)
    own = [record for record in caplog.records if record.name.startswith(("guardrail", "uvicorn"))]
    assert [record.name for record in own if secret in str(vars(record))] == []
    line = next(record.fields for record in own if getattr(record, "fields", {}).get("request") == "r1")
    assert line["route"] == "/v1/run"
    assert (line["status"], line["verdict"], line["action"], line["guard"]) == (200, "contradicted", "flag", "default")
