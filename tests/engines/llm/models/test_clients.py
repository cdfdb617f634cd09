"""Connections: opened by whom, and closed when."""

import asyncio
import gc
import os
import subprocess
import sys

import pytest

from guardrail.engines.llm.models.openai import OpenAILLM
from guardrail.engines.llm.requests.calls import Calls, CallSettings
from guardrail.testing import OpenAIServer

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=60.0)


GOOD = '{"verdict": "supported"}'


def test_a_loop_that_ends_closes_its_connections(prompt, budget, script):
    with OpenAIServer(script(GOOD)) as server:
        llm = OpenAILLM("m", server.base_url)
        calls = Calls(llm, FAST)
        kept = []

        async def body():
            await calls.aperform((prompt,) * 2, budget())
            kept.append(await llm._clients.in_loop())
            assert not kept[-1].is_closed()
            await calls.aperform((prompt,), budget())
            assert kept[-1] is await llm._clients.in_loop()

        for _ in range(3):
            asyncio.run(body())
        assert [client.is_closed() for client in kept] == [True] * 3
        assert len(llm._clients._loops) == 1
        gc.collect()  # an unclosed socket would be a warning, and so an error, here


def test_a_model_that_is_dropped_closes_its_connections(monkeypatch, prompt, budget, script):
    """In a circle of references too, which the collector frees in any order: an unclosed socket would warn there."""
    heard = []
    monkeypatch.setattr(sys, "unraisablehook", lambda event: heard.append(event.exc_value))

    async def body():
        llm = OpenAILLM("m", server.base_url)
        await Calls(llm, FAST).aperform((prompt,) * 2, budget())
        Calls(llm, FAST).perform((prompt,), budget())
        clients = [await llm._clients.in_loop(), llm._clients.here()]
        circle = [llm]
        circle.append(circle)
        del llm, circle
        gc.collect()
        await asyncio.sleep(0.05)
        return [client.is_closed() for client in clients]

    async def forgotten():
        llm = OpenAILLM("m", server.base_url)
        await Calls(llm, FAST).aperform((prompt,) * 2, budget())
        circle = [llm]
        circle.append(circle)
        del llm, circle
        gc.collect()
        await asyncio.sleep(0.05)

    with OpenAIServer(script(GOOD)) as server:
        assert asyncio.run(body()) == [True, True]
        asyncio.run(forgotten())
    assert heard == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_opens_its_own_connections():
    code = """
import os, sys
from guardrail.engines.llm.models.openai import OpenAILLM
llm = OpenAILLM("m", "http://localhost:9/v1")
mine = llm._clients.here()
assert llm._clients.here() is mine
if os.fork() == 0:
    os._exit(0 if llm._clients.here() is not mine else 1)
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=False).returncode == 0
