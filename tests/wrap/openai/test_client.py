"""The guarded OpenAI client: the real openai package against a real server on loopback."""

from __future__ import annotations

import copy
import os
import subprocess
import sys

import pytest

from guardrail import Action, UsageError
from guardrail.wrap.openai import GuardedAsyncOpenAI, GuardedOpenAI
from tests.support.openai_clients import ASKED, PASSAGES, WRONG, clients


@pytest.mark.parametrize(
    "use",
    [
        lambda c: c.responses.stream(model="m", input="?"),
        lambda c: c.responses.retrieve("id"),
        lambda c: c.completions.create(model="m", prompt="?"),
        lambda c: c.beta.chat,
        lambda c: c.with_raw_response,
        lambda c: c.with_streaming_response,
        lambda c: c.post("/chat/completions"),
        lambda c: c.chat.with_raw_response,
        lambda c: c.chat.completions.with_raw_response.create(model="m", messages=ASKED),
        lambda c: c.chat.completions.stream(model="m", messages=ASKED),
        lambda c: c.chat.completions.retrieve("id"),
    ],
)
@pytest.mark.parametrize("kind", [0, 1], ids=["sync", "async"])
def test_ways_past_the_check_are_refused(use, kind):
    """Unless the caller says that he knows."""
    with clients() as pair, pytest.raises(UsageError, match="is not checked by the guard"):
        use(pair[0] if kind == 0 else pair[1]())


@pytest.mark.parametrize("kind", [0, 1], ids=["sync", "async"])
def test_code_that_asks_first_is_told_that_a_way_past_the_check_is_not_there(kind):
    """``getattr`` with a default and ``hasattr``, as libraries look for what a client can do."""
    with clients() as pair:
        client = pair[0] if kind == 0 else pair[1]()
        for holder, name in ((client, "beta"), (client.chat, "with_raw_response"), (client.chat.completions, "stream")):
            assert getattr(holder, name, None) is None
            assert not hasattr(holder, name)
        assert hasattr(client, "responses")
        assert hasattr(client.responses, "parse")


def test_ways_past_the_check_can_be_opened():
    """``allow_unguarded``; the text is the model's own then."""
    with clients(allow_unguarded=True) as (client, _, _):
        raw = client.chat.completions.with_raw_response.create(model="m", messages=ASKED)
        assert raw.parse().choices[0].message.content == WRONG
        assert client.completions.create


def test_everything_else_is_the_clients_own():
    """Models, addresses, options; copies are guarded too."""
    with clients() as (client, aclient, server):
        assert [m.id for m in client.models.list()] == ["scripted"]
        assert str(client.base_url).rstrip("/") == server.base_url
        assert client.embeddings.create
        again = client.with_options(timeout=7.5)
        assert isinstance(again, GuardedOpenAI)
        assert again.timeout == 7.5
        said = copy.copy(again).chat.completions.create(model="m", messages=ASKED, passages=PASSAGES)
        assert said.guardrail.action is Action.BLOCK
        assert isinstance(aclient().copy(timeout=7.5), GuardedAsyncOpenAI)
        with client as same:
            assert same is client
        assert client.is_closed()


def test_openai_missing_names_the_line_that_installs_it():
    """And ``import guardrail`` does not need it."""
    code = """
import sys
sys.modules["openai"] = None
import guardrail
try:
    import guardrail.wrap.openai
except guardrail.MissingExtraError as error:
    print(error)
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert 'pip install "rag-guardrail[openai]"' in said.stdout
