"""Hostile and unlucky requests: too large, too slow, not JSON."""

from __future__ import annotations

import json

import pytest

from tests.support.services import served, wait_until

HEAD = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def small():
    """A service that takes little, and waits for less."""
    limits = {"body": 1_000, "bodies": 1_500, "body_seconds": 0.3, "header_seconds": 0.3, "passages": 3, "batch": 2}
    with served(limits=limits) as one:
        yield one


def error_of(raw):
    head, _, body = raw.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]["code"]


def test_too_large_by_its_length(small):
    assert error_of(small.raw(HEAD + b"Content-Length: 1001\r\nConnection: close\r\n\r\n")) == (413, "too_large")
    huge = HEAD + b"Content-Length: " + b"9" * 19 + b"\r\nConnection: close\r\n\r\n"
    assert error_of(small.raw(huge)) == (413, "too_large")
    assert small.raw(HEAD + b"Content-Length: " + b"9" * 400 + b"\r\n\r\n").startswith(b"HTTP/1.1 400")


def test_too_large_in_chunks(small):
    chunk = b"1f4\r\n" + b" " * 500 + b"\r\n"
    head = HEAD + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    assert error_of(small.raw(head, more=[chunk] * 3)) == (413, "too_large")


def test_a_body_that_never_ends(small):
    assert error_of(small.raw(HEAD + b"Content-Length: 900\r\nConnection: close\r\n\r\n{")) == (408, "too_slow")
    chunked = HEAD + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\n{\r\n"
    assert error_of(small.raw(chunked)) == (408, "too_slow")


def test_a_head_that_never_ends(small):
    assert small.raw(b"") == b""
    assert small.raw(HEAD) == b""
    first = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    reply = small.raw(first + b"GET /healthz HTTP/1.1\r\n")  # the second head of a connection
    assert reply.count(b"HTTP/1.1 200") == 1


def test_a_head_that_is_too_long(small):
    assert small.raw(HEAD + b"X: " + b"x" * 100_000).startswith(b"HTTP/1.1 400")


def test_too_many_passages_and_items(small):
    reply = small.post("/v1/check", {"answer": "a", "passages": ["p"] * 4})
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "too_large")
    reply = small.post("/v1/check", {"items": [{"answer": "a", "passages": []}] * 3})
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "too_large")


def test_encoded_bodies_are_not_unpacked(plain):
    reply = plain.post("/v1/check", headers={"Content-Encoding": "gzip"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (415, "unsupported_encoding")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b"null",
        b"\xff\xfe",
        b'{"answer": NaN}',
        b'{"answer": "\\ud800"}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"answer": "a", "passages": [], "x": ' + b"[" * 500 + b"]" * 500 + b"}",
    ],
)
def test_hostile_json(plain, body):
    reply = plain.client.post("/v1/check", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code == 400, reply.text
    assert reply.json()["error"]["code"] == "malformed"


def test_a_number_without_end(plain):
    body = b'{"answer": "a", "passages": [], "id": ' + b"9" * 10_000 + b"}"
    reply = plain.client.post("/v1/check", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code in {400, 422}


def test_what_is_left_over_is_given_back(small):
    assert small.post("/v1/check").status_code == 200
    wait_until(lambda: small.service.pool.threads.idle)
