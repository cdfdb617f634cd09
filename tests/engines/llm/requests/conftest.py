"""Models that do what a script says, and the ways in which requests to them are made."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from guardrail.engines.llm.protocol import Completion, Prompt
from guardrail.engines.llm.requests.budget import Budget
from guardrail.engines.llm.requests.calls import Calls


class Model:
    """Does what a script says for each request; counts how many are at work at once."""

    model = "test-model"

    def __init__(self, *script, seconds=0.0):
        self.script = list(script)
        self.seconds = seconds
        self.timeouts = []
        self.working = self.most = 0
        self.lock = threading.Lock()

    def __enter__(self):
        with self.lock:
            self.working += 1
            self.most = max(self.most, self.working)

    def __exit__(self, *_):
        with self.lock:
            self.working -= 1

    def reply(self, prompt, timeout):
        with self.lock:
            self.timeouts.append(timeout)
            step = self.script.pop(0) if self.script else None
        if isinstance(step, BaseException):
            raise step
        return step or Completion(text=prompt.user, input_tokens=100, cached_tokens=60, output_tokens=10)


class Blocking(Model):
    def complete(self, prompt, *, timeout):
        with self:
            time.sleep(self.seconds)
            return self.reply(prompt, timeout)


class Awaited(Model):
    async def acomplete(self, prompt, *, timeout):  # noqa: ASYNC109
        with self:
            await asyncio.sleep(self.seconds)
            return self.reply(prompt, timeout)


def _aperform(calls, asked, account):
    return asyncio.run(calls.aperform(asked, account))


@pytest.fixture(
    params=[(Blocking, Calls.perform), (Awaited, _aperform), (Blocking, _aperform)],
    ids=["threads", "tasks", "tasks-over-threads"],
)
def way(request):
    """A kind of model, and how a round of prompts gets its replies."""
    return request.param


@pytest.fixture
def kind(way):
    return way[0]


@pytest.fixture
def perform(way):
    return way[1]


@pytest.fixture
def blocking():
    return Blocking


@pytest.fixture
def awaited():
    return Awaited


@pytest.fixture
def prompts():
    def made(count=1):
        return tuple(Prompt(identity="judge.en.v1.abc", system="Judge.", user=f"data {n}") for n in range(count))

    return made


@pytest.fixture
def budget():
    def made(seconds=None, calls=None, prices=None):
        return Budget(None if seconds is None else time.monotonic() + seconds, calls, prices)

    return made
