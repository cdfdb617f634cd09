"""Keys, endpoints and connections: opened by whom, and closed when."""

import asyncio
import gc
import os
import subprocess
import sys

import pytest

from guardrail import ConfigurationError
from guardrail.engines.llm.models.openai import OpenAILLM
from guardrail.engines.llm.protocol import LLM, AsyncLLM
from guardrail.engines.llm.requests.calls import Calls, CallSettings
from guardrail.testing import OpenAIServer

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=5.0)
GOOD = '{"verdict": "supported"}'


def test_no_key_no_model(monkeypatch):
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        OpenAILLM("gpt")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-env")
    assert OpenAILLM("gpt").model == "gpt"
    for wrong in ({"model": ""}, {"structured": "xml"}, {"base_url": "localhost:8000"}, {"client": {"http_client": 1}}):
        with pytest.raises(ConfigurationError):
            OpenAILLM(**{"model": "gpt", **wrong})
    with pytest.raises(ConfigurationError, match="unexpected keyword"):
        OpenAILLM("gpt", client={"no_such_option": 1})


def test_the_key_of_the_environment_and_a_placeholder(monkeypatch, prompt, budget, script, in_threads, one):
    with OpenAIServer(script(GOOD), api_key="sk-from-env") as server:
        assert "401" in str(one(in_threads, server))
        monkeypatch.setenv("OPENAI_API_KEY", "sk-from-env")
        assert one(in_threads, server).text == GOOD
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        llm = OpenAILLM("m")
        assert in_threads(llm, FAST, (prompt,), budget())[0].text == GOOD


def test_a_model_shows_no_key():
    with pytest.raises(ConfigurationError) as wrong:
        OpenAILLM("m", "user:sk-secret@localhost:9/v1")
    assert "sk-secret" not in str(wrong.value)
    llm = OpenAILLM("m", "http://user:sk-secret@localhost:9/v1", "sk-secret")
    assert repr(llm) == "OpenAILLM(model='m', base_url='http://localhost:9/v1/')"
    assert isinstance(llm, LLM)
    assert isinstance(llm, AsyncLLM)


def test_azure(perform, prompt, budget, script):
    with OpenAIServer(script(GOOD)) as server:
        endpoint = server.base_url.removesuffix("/v1")
        llm = OpenAILLM.azure("judge-4", endpoint, "azure-key", api_version="2024-10-21", temperature=0.1)
        assert llm.provider == "azure.ai.openai"
        assert perform(llm, FAST, (prompt,), budget())[0].text == GOOD
    assert "azure-key" not in repr(llm)
    (call,) = server.calls
    assert call.path == "/openai/deployments/judge-4/chat/completions"
    assert call.body["temperature"] == 0.1
    with pytest.raises(ConfigurationError, match="azure_endpoint"):
        OpenAILLM.azure("judge-4", api_key="azure-key", api_version="2024-10-21")


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


@pytest.mark.parametrize(
    ("vendor", "module", "make", "line"),
    [
        ("openai", "openai", "OpenAILLM('m')", "rag-guardrail[openai]"),
        ("langchain_core", "langchain", "LangChainLLM(None)", "rag-guardrail[langchain,llm]"),
        ("llama_index", "llama_index", "LlamaIndexLLM(None)", "rag-guardrail[llama-index,llm]"),
    ],
)
def test_a_missing_vendor_names_the_line_that_installs_it(vendor, module, make, line):
    code = f"""
import sys
for name in {vendor!r}, "llama_index.core.callbacks", "langchain_core.language_models":
    sys.modules[name] = None
import guardrail
from guardrail.engines.llm.models.{module} import *
try:
    {make}
except guardrail.MissingExtraError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f'pip install "{line}"' in done.stdout
