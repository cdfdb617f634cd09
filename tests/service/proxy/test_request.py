"""Requests: what of them is ours stays here, and what cannot be checked is refused."""

from __future__ import annotations

import httpx
import openai
import pytest

from tests.support import proxied_responses
from tests.support.proxied import (
    ASKED,
    PASSAGES,
    QUESTION,
    client,
    model,
    proxy,
)


def ask(url, **more):
    return client(url).chat.completions.create(**({"model": "m", "messages": ASKED} | more))


def test_fields_of_ours_do_not_reach_the_upstream():
    """The guard by its name, the passages, the question; a tagged part is a plain text for the upstream."""
    tagged = {
        "role": "system",
        "content": [{"type": "grounding_source", "text": PASSAGES[0], "id": "d", "title": "Dam"}],
    }
    with proxy(
        model,
        guards={
            "default": {"policy": "monitor"},
            "other": {"engine": "python:tests.support.proxied:engine", "policy": "strict"},
        },
    ) as (url, upstream):
        ours = {"passages": [{"text": PASSAGES[0], "id": "p7"}], "question": "?", "guard": "other"}
        said = ask(url, extra_body={"guardrail": ours})
        assert (said.guardrail["action"], said.guardrail["passages"][0]["id"]) == ("block", "p7")
        again = ask(url, messages=[tagged, QUESTION], extra_headers={"x-guardrail-guard": "other"})
        assert again.guardrail["passages"][0]["kind"] == "grounding_source"
        assert again.guardrail["policy"] == "strict"
    assert upstream.bodies[0] == {"model": "m", "messages": ASKED}
    assert upstream.bodies[1]["messages"][0]["content"] == [{"type": "text", "text": PASSAGES[0]}]
    assert not any(name.startswith(b"x-guardrail") for name in upstream.seen[1][2])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"guardrail": {"passage": []}}, "Did you mean 'passages'"),
        ({"guardrail": [1]}, "guardrail must be an object"),
        ({"guardrail": {"stream": "observe"}}, "'buffer' or 'sentence'"),
        ({"guardrail": {"guard": 3}}, "guardrail.guard must be a text"),
        ({"modalities": ["text", "audio"]}, "speech cannot be checked"),
    ],
)
def test_what_cannot_be_checked_is_refused_before_the_upstream_is_asked(more, said):
    with proxy(model) as (url, upstream), pytest.raises(openai.UnprocessableEntityError, match=said):
        ask(url, extra_body=more)
    assert upstream.seen == []


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff{}", b"[" * 100_000, b'{"a":' + b"1" * 5_000 + b"}", b"null"])
def test_hostile_bodies(body):
    with proxy(model) as (url, upstream):
        reply = httpx.post(f"{url}/v1/chat/completions", content=body, headers={"content-type": "application/json"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "malformed")
    assert upstream.seen == []


def test_work_in_the_background_is_refused():
    with (
        proxy(proxied_responses.script) as (url, upstream),
        pytest.raises(openai.UnprocessableEntityError, match="background"),
    ):
        proxied_responses.ask(url, background=True)
    assert upstream.seen == []
