"""Real LlamaIndex models as the judge."""

import asyncio
import json
import threading
import time

import pytest
from llama_index.core.callbacks import CallbackManager, TokenCountingHandler
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata

from guardrail import Cause, ConfigurationError
from guardrail.engines.llm.models.llama_index import LlamaIndexLLM
from guardrail.engines.llm.protocol import Completion
from guardrail.engines.llm.requests.calls import Calls, CallSettings
from guardrail.testing import OpenAIServer, Reply

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=60.0)
GOOD = '{"verdict": "supported"}'


class Local(CustomLLM):
    """A model of a user's own."""

    temperature: float = 0.7
    text: str = GOOD
    seconds: float = 0.0

    @property
    def metadata(self):
        return LLMMetadata(model_name="local-7b")

    def complete(self, prompt, formatted=False, **_):
        time.sleep(self.seconds)
        if self.text == "fail":
            raise ConnectionError("sk-secret")
        raw = {"usage": {"prompt_tokens": len(prompt), "completion_tokens": 3}, "temperature": self.temperature}
        return CompletionResponse(text=self.text, raw=raw)

    def stream_complete(self, prompt, formatted=False, **_):
        raise NotImplementedError


def test_llama_index(perform, prompt, budget):
    counter = TokenCountingHandler(tokenizer=str.split)
    given = Local(callback_manager=CallbackManager([counter]))
    llm = LlamaIndexLLM(given)
    account = budget()
    replies = perform(llm, FAST, (prompt,) * 8, account)
    assert [r.text for r in replies] == [GOOD] * 8
    assert llm.model == "local-7b"
    assert account.usage.output_tokens == 24
    assert account.usage.input_tokens > 8 * len(json.dumps(prompt.schema, separators=(",", ":")))
    assert counter.total_llm_token_count == 0  # the user's own counts are of the user's own calls
    assert given.temperature == 0.7


def test_a_blocking_llama_index_model_leaves_the_loop_free(prompt, budget):
    """All four must have begun, and the loop have ticked meanwhile, before any of them may end."""
    begun, end = [], threading.Event()

    class Waiting(Local):
        def complete(self, *given, **named):
            begun.append(1)
            assert end.wait(60)
            return super().complete(*given, **named)

    async def body():
        task = asyncio.create_task(Calls(LlamaIndexLLM(Waiting()), FAST).aperform((prompt,) * 4, budget()))
        while len(begun) < 4:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        assert not task.done()
        end.set()
        return await task

    assert [type(reply) for reply in asyncio.run(body())] == [Completion] * 4


def test_llama_index_failures(perform, prompt, budget):
    (silent,) = perform(LlamaIndexLLM(Local(text="")), FAST, (prompt,), budget())
    assert "no text" in str(silent)
    assert silent.cause is Cause.REPLY
    account = budget()
    (reply,) = perform(LlamaIndexLLM(Local(text="fail")), FAST, (prompt,), account)
    assert str(reply) == "ConnectionError"
    assert account.usage.calls == 3
    with pytest.raises(ConfigurationError, match="LlamaIndex LLM"):
        LlamaIndexLLM("gpt-5")


def test_llama_index_openai_like(perform, prompt, budget, script):
    like = pytest.importorskip("llama_index.llms.openai_like").OpenAILike
    replies = (Reply("busy", status=503), Reply(GOOD, input_tokens=90, cached_tokens=30, finish_reason="length"))
    with OpenAIServer(script(*replies)) as server:
        given = like(model="m", api_base=server.base_url, api_key="x", is_chat_model=True, temperature=0.9)
        account = budget()
        (reply,) = perform(LlamaIndexLLM(given), FAST, (prompt,), account)
    assert (reply.text, reply.cut_off) == (GOOD, True)
    assert (account.usage.calls, account.usage.input_tokens, account.usage.cached_tokens) == (2, 90, 30)
    assert server.call_count == 2  # its own retries are off
    assert server.calls[1].body["temperature"] == 0.0
    assert [m["role"] for m in server.calls[1].body["messages"]] == ["system", "user"]
