"""A prompt, scripted replies, and the ways in which a client is asked."""

from __future__ import annotations

import asyncio
import os
import threading
import time

import pytest

from guardrail.engines.llm.models.openai import OpenAILLM
from guardrail.engines.llm.protocol import Prompt
from guardrail.engines.llm.requests.calls import Budget, Calls, CallSettings

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string"}},
    "required": ["verdict"],
    "additionalProperties": False,
}
FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=60.0)


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch):
    for name in [n for n in os.environ if n.startswith(("OPENAI_", "AZURE_"))]:
        monkeypatch.delenv(name)


class Script:
    """Replies one by one; the last again and again."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.lock = threading.Lock()

    def __call__(self, body):
        with self.lock:
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def _in_threads(llm, settings, asked, account):
    return Calls(llm, settings).perform(asked, account)


def _in_tasks(llm, settings, asked, account):
    return asyncio.run(_rounds(llm, settings, asked, account))


async def _rounds(llm, settings, asked, *accounts):
    """A round for each account in one loop; the clients of vendors do not outlive theirs."""
    calls = Calls(llm, settings)
    replies = [await calls.aperform(asked, account) for account in accounts]
    for model in {id(m): m for m in (getattr(llm, "_given", None), getattr(llm, "_cold", None))}.values():
        for client in (getattr(model, "root_async_client", None), getattr(model, "_aclient", None)):
            if client is not None:
                await client.close()
    return replies[-1]


@pytest.fixture(params=[_in_threads, _in_tasks], ids=["threads", "tasks"])
def perform(request):
    """How a round of prompts gets its replies."""
    return request.param


@pytest.fixture
def in_threads():
    return _in_threads


@pytest.fixture
def rounds():
    return _rounds


@pytest.fixture
def script():
    return Script


@pytest.fixture
def prompt():
    return Prompt(identity="judge.en.v1.abc", system="Judge.", user="the data", schema=SCHEMA, max_tokens=500)


@pytest.fixture
def budget():
    def made(seconds=None, calls=None):
        return Budget(None if seconds is None else time.monotonic() + seconds, calls, None)

    return made


@pytest.fixture
def one(prompt, budget):
    """The reply of a server to one prompt."""

    def asked(perform, server, settings=FAST, account=None, **options):
        (reply,) = perform(OpenAILLM("m", server.base_url, **options), settings, (prompt,), account or budget())
        return reply

    return asked
