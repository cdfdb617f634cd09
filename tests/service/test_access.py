"""Who may come in."""

from __future__ import annotations

import pytest

from guardrail.errors import ConfigurationError
from guardrail.service.keys import hashed, new_key
from guardrail.service.server import is_loopback, refuse_open_door
from guardrail.service.settings import Settings
from tests.support.services import ENGINES, RIVER, served

ALL, ONE = new_key(), new_key()
FAKE = {"engine": ENGINES + "fake"}


@pytest.fixture(scope="module")
def locked():
    keys = [{"name": "all", "hash": hashed(ALL)}, {"name": "one", "hash": hashed(ONE), "guards": ["tenant"]}]
    with served(keys=keys, guards={"default": FAKE, "tenant": FAKE}) as one:
        yield one


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


def test_without_a_key(locked):
    for path in ("/v1/check", "/v1/run", "/nowhere"):
        reply = locked.post(path)
        assert (reply.status_code, reply.json()["error"]["code"]) == (401, "unauthorized")
        assert reply.headers["www-authenticate"] == "Bearer"
    assert locked.get("/openapi.json").status_code == 401
    assert locked.get("/metrics").status_code == 401


def test_with_a_wrong_key(locked):
    for wrong in (new_key(), ALL[:-1], hashed(ALL), "x" * 5_000):
        reply = locked.post("/v1/check", headers=bearer(wrong))
        assert reply.status_code == 401
        assert wrong not in reply.text


def test_with_a_key(locked):
    assert locked.post("/v1/check", headers=bearer(ALL)).status_code == 200
    assert locked.post("/v1/check", headers={"X-Guardrail-Key": ALL, **bearer("upstream's")}).status_code == 200
    assert locked.get("/metrics", headers=bearer(ALL)).status_code == 200


@pytest.mark.parametrize("header", ["x-api-key", "ocp-apim-subscription-key", "x-goog-api-key"])
def test_keys_in_the_vendors_headers(header, locked):
    reply = locked.post("/v1/checks", {}, headers={header: ALL})
    assert reply.status_code == 422  # it came in: what is wrong is the body


def test_a_key_opens_its_guards_only(locked):
    assert locked.post("/v1/check", {**RIVER, "guard": "tenant"}, headers=bearer(ONE)).status_code == 200
    for body in (RIVER, {**RIVER, "guard": "default"}):
        reply = locked.post("/v1/check", body, headers=bearer(ONE))
        assert (reply.status_code, reply.json()["error"]["code"]) == (403, "forbidden")
    unknown = locked.post("/v1/check", {**RIVER, "guard": "x"}, headers=bearer(ONE))
    assert "default" not in unknown.text  # the names of other tenants are not told
    names = [guard["name"] for guard in locked.get("/v1/guards", headers=bearer(ONE)).json()["guards"]]
    assert names == ["tenant"]


def test_only_by_its_names():
    with served(hosts=["localhost", "::1"]) as one:
        for host, status in (
            ("localhost", 200),
            ("[::1]:9", 200),
            ("evil.example", 421),
            ("localhost.evil.example", 421),
        ):
            assert one.get("/healthz", headers={"Host": host}).status_code == status
        assert one.raw(b"GET /healthz HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 421")


def test_a_web_page_cannot_post_without_being_asked_about(plain):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        reply = plain.client.post("/v1/check", content=b'{"answer":"a","passages":[]}', headers={"Content-Type": kind})
        assert reply.status_code == 415
    assert not any(name.startswith("access-control") for name in plain.get("/healthz").headers)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_no_public_address_without_keys(host):
    assert not is_loopback(host)
    with pytest.raises(ConfigurationError, match="there are no keys"):
        refuse_open_door(Settings(host=host))
    refuse_open_door(Settings(host=host, keys=[{"name": "a", "hash": hashed(ALL)}]))


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.9.9.9"])
def test_loopback_needs_none(host):
    refuse_open_door(Settings(host=host))
