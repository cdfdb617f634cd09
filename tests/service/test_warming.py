"""What /readyz promises: no request waits for an import or for a model."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from guardrail import Guard
from guardrail.engines.cascade import CascadeEngine
from guardrail.service.settings import GuardSettings
from guardrail.service.warming import warm
from guardrail.testing import FakeEngine, OpenAIServer
from tests.support.service_engines import AwaitedEngine

_SCRIPT = """
import asyncio, sys
from guardrail.service.guards import build_guards
from guardrail.service.settings import Settings
from guardrail.service.warming import warm

settings = Settings(guards={"default": {"engine": sys.argv[1], "model": "m", "base_url": sys.argv[2]}})
guards = build_guards(settings, None)
part = "openai.resources.chat.completions.completions"
before = part in sys.modules
asyncio.run(warm(guards))
print(before, part in sys.modules)
"""


class Loaded:
    """Counts how often it is loaded."""

    name = "loaded"

    def __init__(self):
        self.loads = 0

    def warm_up(self):
        self.loads += 1

    def verify(self, request):
        return FakeEngine().verify(request)


@pytest.mark.parametrize("engine", ["llm", "cascade"])
def test_the_client_of_a_judge_is_there_and_the_judge_is_not_asked(engine):
    with OpenAIServer(lambda _: "{}") as server:
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT, engine, server.base_url], capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == ["False", "True"], done.stderr
        assert not server.calls


def test_both_engines_of_a_cascade_are_loaded():
    first, second = Loaded(), Loaded()
    guard = Guard(engine=CascadeEngine(first=first, second=second))
    asyncio.run(warm({"default": (GuardSettings(), guard)}))
    assert (first.loads, second.loads) == (1, 1)


def test_an_engine_that_is_awaited_is_not_asked():
    asyncio.run(warm({"default": (GuardSettings(), Guard(engine=AwaitedEngine()))}))
