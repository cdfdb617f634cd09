"""Each rule of who may use the studio, against the real server."""

import socket

import httpx
import pytest

from guardrail.service.studio.access import MOST_BYTES
from guardrail.service.studio.studio import Studio

BODY = {"answer": "A bridge opened.", "passages": ["A bridge opened."]}


@pytest.fixture
def web(site):
    with httpx.Client(base_url=site.origin, timeout=300) as client:
        yield client


def test_with_the_token_the_api_answers(web, site):
    assert web.get("/api/choices", headers=site.headers).status_code == 200
    assert web.post("/api/check", json=BODY, headers=site.headers).json()["verdict"] == "supported"


@pytest.mark.parametrize("headers", [{}, {"x-studio-token": ""}, {"x-studio-token": "wrong"}])
@pytest.mark.parametrize("path", ["/api/choices", "/api/examples", "/api/nothing", "//api/choices"])
def test_without_the_token_it_does_not(web, headers, path):
    reply = web.get(path, headers=headers)
    assert reply.status_code in (401, 404)
    assert "engines" not in reply.text


def test_a_token_beside_ascii_is_only_wrong(web):
    assert web.get("/api/choices", headers={"x-studio-token": "é".encode()}).status_code == 401


def test_the_token_in_the_query_does_not_count(web, site):
    assert web.get(f"/api/choices?token={site.token}").status_code == 401


@pytest.mark.parametrize("path", ["/", "/main.js", "/style.css", "/views/check.js", "/parts/h.js", "/icon.svg"])
def test_the_page_itself_needs_no_token(web, path):
    assert web.get(path).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.", "[::1].evil", "10.0.0.7"])
@pytest.mark.parametrize("path", ["/", "/api/choices"])
def test_another_name_of_the_host_is_refused(web, site, host, path):
    assert web.get(path, headers={**site.headers, "host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]:8322", "LOCALHOST:8322"])
def test_names_of_this_machine_are_not(web, site, host):
    assert web.get("/api/choices", headers={**site.headers, "host": host}).status_code == 200


def test_the_host_that_it_was_given_is_one_more_name(site_with):
    with site_with(Studio(), hosts=("studio.lan",)) as site:
        get = lambda host: httpx.get(f"{site.origin}/", headers={"host": host}).status_code  # noqa: E731
        assert (get("studio.lan:80"), get("other.lan")) == (200, 421)


def test_a_wildcard_admits_addresses_in_numbers_but_no_names(site_with):
    with site_with(Studio(), hosts=("0.0.0.0",)) as site:
        get = lambda host: httpx.get(f"{site.origin}/", headers={"host": host}).status_code  # noqa: E731
        assert (get("192.0.2.7:8322"), get("evil.example")) == (200, 421)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_page_is_refused_even_with_the_token(web, site, headers, method):
    path = "/api/choices" if method == "GET" else "/api/check"
    reply = web.request(method, path, json=BODY, headers={**site.headers, **headers})
    assert reply.status_code == 403


def test_its_own_page_is_not(web, site):
    headers = {**site.headers, "origin": site.origin, "sec-fetch-site": "same-origin"}
    assert web.post("/api/check", json=BODY, headers=headers).status_code == 200


def test_no_reply_invites_another_origin(web, site):
    reply = web.options(
        "/api/check", headers={"origin": "http://evil.example", "access-control-request-method": "POST"}
    )
    assert reply.status_code == 403
    for path in ("/", "/api/choices"):
        assert not [name for name in web.get(path, headers=site.headers).headers if name.startswith("access-control")]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_body_must_say_that_it_is_json(web, site, kind):
    reply = web.post(
        "/api/check", content=b'{"answer": "A.", "passages": []}', headers={**site.headers, "content-type": kind}
    )
    assert reply.status_code == 415


def _raw(site, head):
    with socket.create_connection(("127.0.0.1", int(site.origin.rpartition(":")[2])), 60) as connection:
        connection.sendall(
            f"POST /api/check HTTP/1.1\r\nHost: 127.0.0.1\r\nx-studio-token: {site.token}\r\n"
            f"Content-Type: application/json\r\n{head}\r\n\r\n".encode()
        )
        return connection.recv(200).split(b"\r\n")[0]


def test_a_body_that_is_too_large_is_refused_before_it_is_read(site):
    assert b" 413 " in _raw(site, f"Content-Length: {MOST_BYTES + 1}")


def test_a_body_of_unknown_size_is_refused(site):
    assert b" 411 " in _raw(site, "Transfer-Encoding: chunked")


@pytest.mark.parametrize("path", ["/", "/api/choices", "/nothing", "/api/nothing"])
def test_every_reply_shuts_the_page_off(web, path):
    headers = web.get(path).headers
    policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert (policy["script-src"], policy["style-src"], policy["connect-src"]) == ("'self'",) * 3
    assert policy["frame-ancestors"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert "server" not in headers
    assert ("no-store" in headers["cache-control"]) == path.startswith("/api/")
