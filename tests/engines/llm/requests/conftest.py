"""Models that do what a script says, and the ways in which requests to them are made."""

from __future__ import annotations

import asyncio
import threading
import time
from types import SimpleNamespace

import pytest

from guardrail.engines.llm.protocol import Completion, Prompt
from guardrail.engines.llm.requests import breaker
from guardrail.engines.llm.requests.budget import Budget
from guardrail.engines.llm.requests.calls import Calls

FOREVER = 600.0
"""Seconds that no test waits for."""


async def _until(true):
    """Until it is true: of things that other threads do."""
    while not true():  # noqa: ASYNC110
        await asyncio.sleep(0.005)


_made = []


@pytest.fixture(autouse=True)
def released():
    """No request hangs any longer than its test."""
    yield
    while _made:
        _made.pop().release.set()


class Model:
    """Does what a script says for each request; counts how many are at work at once.

    Attributes:
        seconds: How long a request takes.
        together: Requests that must have been at work at once before the first of them ends.
        release: Ends all that hang.
    """

    model = "test-model"

    def __init__(self, *script, seconds=0.0, together=0):
        self.script = list(script)
        self.seconds = seconds
        self.together = together
        self.release = threading.Event()
        _made.append(self)
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

    def alone(self):
        return self.most < self.together and not self.release.is_set()

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
            while self.alone():
                time.sleep(0.005)
            self.release.wait(self.seconds)
            return self.reply(prompt, timeout)


class Awaited(Model):
    async def acomplete(self, prompt, *, timeout):  # noqa: ASYNC109
        with self:
            await _until(lambda: not self.alone())
            if self.seconds < FOREVER:
                await asyncio.sleep(self.seconds)
            else:
                await _until(self.release.is_set)
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
def until():
    return _until


@pytest.fixture
def forever():
    return FOREVER


@pytest.fixture
def pass_time(monkeypatch):
    """The breaker's clock stands still; to be called with seconds that pass."""
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(breaker, "time", SimpleNamespace(monotonic=lambda: clock.now))

    def passed(seconds):
        clock.now += seconds

    return passed


@pytest.fixture
def budget():
    def made(seconds=None, calls=None, prices=None):
        return Budget(None if seconds is None else time.monotonic() + seconds, calls, prices)

    return made
