"""Headers that go on and those that stay: keys, and what is of one connection."""

from __future__ import annotations

import openai
import pytest

from guardrail.service.proxy.headers import delivered_headers, sent_headers
from tests.support.proxied import (
    ASKED,
    client,
    model,
    proxy,
)


def ask(url, **more):
    return client(url).chat.completions.create(**({"model": "m", "messages": ASKED} | more))


def test_keys_stay_where_they_belong():
    """The service's key does not reach the upstream; the upstream's own, or the client's for it, does."""
    from guardrail.service.keys import hashed

    key = {"name": "team", "hash": hashed("grk_ours")}
    with proxy(model, keys=[key]) as (url, upstream):
        with pytest.raises(openai.AuthenticationError):
            ask(url)
        client(url, api_key="grk_ours").chat.completions.create(model="m", messages=ASKED)
        own = {"x-guardrail-key": "grk_ours"}
        client(url, api_key="theirs", default_headers=own).chat.completions.create(model="m", messages=ASKED)
    sent = [headers.get(b"authorization") for _, _, headers, _ in upstream.seen]
    assert sent == [None, b"Bearer theirs"]
    assert not any(b"grk_ours" in value for _, _, headers, _ in upstream.seen for value in headers.values())


def test_the_upstreams_key_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("UPSTREAM_KEY_OF_A_TEST", "secret")
    with proxy(model, upstream={"key_env": "UPSTREAM_KEY_OF_A_TEST"}) as (url, upstream):
        ask(url)
    assert upstream.seen[0][2][b"authorization"] == b"Bearer secret"


def test_headers_of_one_connection_and_of_ours_stay_behind():
    given = [
        (b"Connection", b"close, X-Own"),
        (b"X-Own", b"1"),
        (b"TE", b"trailers"),
        (b"X-Guardrail-Guard", b"g"),
        (b"X-Kept", b"2"),
    ]
    assert sent_headers(given, key=None, keyed=False, changed=True) == [
        (b"x-kept", b"2"),
        (b"accept-encoding", b"identity"),
    ]
    assert delivered_headers([*given, (b"Content-Length", b"9")], changed=True) == [(b"x-kept", b"2")]
    credentials = [(name, b"grk") for name in (b"Authorization", b"api-key", b"X-Api-Key", b"x-goog-api-key")]
    assert sent_headers(credentials, key=None, keyed=True, changed=True) == [(b"accept-encoding", b"identity")]
