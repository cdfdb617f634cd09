"""Real LangChain models as the judge."""

import asyncio
import json

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.fake_chat_models import FakeListChatModel, FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_openai import AzureChatOpenAI, ChatOpenAI

from guardrail import Cause, ConfigurationError
from guardrail.engines.llm.models.langchain import LangChainLLM
from guardrail.engines.llm.protocol import LLM, AsyncLLM
from guardrail.engines.llm.requests.calls import Calls, CallSettings
from guardrail.testing import OpenAIServer, Reply

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=60.0)
GOOD = '{"verdict": "supported"}'


class Heard(BaseCallbackHandler):
    def __init__(self):
        self.starts = []

    def on_chat_model_start(self, serialized, messages, **_):
        self.starts.append(messages)

    def on_chain_start(self, serialized, inputs, **_):
        self.starts.append("chain")


def message(**more):
    usage = {"input_tokens": 50, "output_tokens": 5, "total_tokens": 55, "input_token_details": {"cache_read": 40}}
    return AIMessage(GOOD, usage_metadata=usage, **more)


def test_langchain(perform, prompt, budget):
    llm = LangChainLLM(FakeMessagesListChatModel(responses=[message()]))
    account = budget()
    replies = perform(llm, FAST, (prompt,) * 8, account)
    assert [r.text for r in replies] == [GOOD] * 8
    assert (account.usage.input_tokens, account.usage.cached_tokens, account.usage.output_tokens) == (400, 320, 40)
    assert isinstance(llm, LLM)
    assert isinstance(llm, AsyncLLM)


def test_langchain_puts_the_schema_in_the_instructions(prompt, budget, in_threads):
    heard = Heard()
    model = FakeMessagesListChatModel(responses=[message()], callbacks=[heard])
    in_threads(LangChainLLM(model), FAST, (prompt,), budget())
    ((system, user),) = heard.starts[0]
    assert (system.type, user.type, user.text) == ("system", "human", "the data")
    assert json.loads(system.text.splitlines()[-1]) == prompt.schema


def test_a_langchain_chain_does_not_hear_of_its_judge(perform, prompt, budget, in_threads):
    heard = Heard()
    llm = LangChainLLM(FakeListChatModel(responses=[GOOD]))

    def judge(_):
        return Calls(llm, FAST).perform((prompt,), budget())[0].text

    async def ajudge(_):
        return (await Calls(llm, FAST).aperform((prompt,), budget()))[0].text

    chain = RunnableLambda(judge, afunc=ajudge)
    config = {"callbacks": [heard]}
    said = chain.invoke("x", config) if perform is in_threads else asyncio.run(chain.ainvoke("x", config))
    assert said == GOOD
    assert heard.starts == ["chain"]


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (AIMessage(""), "no text"),
        (AIMessage("", additional_kwargs={"refusal": "no"}), "refused"),
        (AIMessage("x", response_metadata={"finish_reason": "content_filter"}), "refused"),
    ],
)
def test_langchain_replies_without_a_text(perform, reply, says, prompt, budget):
    llm = LangChainLLM(FakeMessagesListChatModel(responses=[reply]))
    (found,) = perform(llm, FAST, (prompt,), budget())
    assert says in str(found)
    assert found.cause is Cause.REPLY


def test_langchain_content_in_parts_and_cut(prompt, budget, in_threads):
    parts = AIMessage([{"type": "text", "text": "{"}], response_metadata={"stop_reason": "max_tokens"})
    (reply,) = in_threads(LangChainLLM(FakeMessagesListChatModel(responses=[parts])), FAST, (prompt,), budget())
    assert reply.cut_off
    assert reply.text == "{"


def test_langchain_needs_a_chat_model():
    with pytest.raises(ConfigurationError, match="BaseChatModel"):
        LangChainLLM("gpt-5")


@pytest.fixture
def chat_openai():
    return pytest.importorskip("langchain_openai").ChatOpenAI


def test_langchain_openai(perform, chat_openai, prompt, budget, script):
    with OpenAIServer(script(Reply("busy", status=503), Reply(GOOD, input_tokens=90, cached_tokens=30))) as server:
        model = chat_openai(model="m", base_url=server.base_url, api_key="x", max_retries=0, temperature=0.9)
        account = budget()
        (reply,) = perform(LangChainLLM(model), FAST, (prompt,), account)
        assert model.temperature == 0.9
    assert (reply.text, reply.model) == (GOOD, "m")
    assert (account.usage.calls, account.usage.input_tokens, account.usage.cached_tokens) == (2, 90, 30)
    assert server.calls[1].body["temperature"] == 0.0
    assert "response_format" not in server.calls[1].body


def test_langchain_openai_by_schema(perform, chat_openai, prompt, budget, script):
    with OpenAIServer(script(GOOD)) as server:
        model = chat_openai(model="m", base_url=server.base_url, api_key="x", max_retries=0)
        (reply,) = perform(LangChainLLM(model, structured=True), FAST, (prompt,), budget())
    assert reply.text == GOOD
    (call,) = server.calls
    assert call.body["response_format"]["type"] == "json_schema"
    assert call.body["messages"][0]["content"] == "Judge."


def test_langchain_openai_that_refuses(chat_openai, prompt, budget, script, in_threads, rounds):
    with OpenAIServer(script(GOOD), refuses=["json_schema", "temperature"]) as server:
        model = chat_openai(model="m", base_url=server.base_url, api_key="x", max_retries=0)
        llm = LangChainLLM(model, structured=True)
        first = budget()
        assert in_threads(llm, FAST, (prompt,), first)[0].text == GOOD
        assert server.call_count == first.usage.calls == 3
        assert in_threads(llm, FAST, (prompt,), budget())[0].text == GOOD
        assert server.call_count == 4
        llm = LangChainLLM(model, structured=True)
        first = budget()
        assert asyncio.run(rounds(llm, FAST, (prompt,), first, budget()))[0].text == GOOD
        assert first.usage.calls == 3
        assert server.call_count == 8


def test_langchain_openai_failures(perform, chat_openai, prompt, budget, script):
    with OpenAIServer(script(Reply("SECRET", status=429, retry_after=9))) as server:
        model = chat_openai(model="m", base_url=server.base_url, api_key="sk-1", max_retries=0)
        (reply,) = perform(LangChainLLM(model), FAST, (prompt,), budget(seconds=1))
        assert reply.retryable
        assert reply.retry_after == 9
    (reply,) = perform(LangChainLLM(model), FAST, (prompt,), budget())
    assert str(reply).endswith("ConnectionError")
    assert reply.retryable


class Mute(FakeListChatModel):
    def _get_ls_params(self, stop=None, **_):
        raise NotImplementedError


def test_the_provider_is_named_as_opentelemetry_names_it():
    azure = AzureChatOpenAI(model="m", azure_endpoint="http://127.0.0.1:9", api_key="k", api_version="2024-10-21")
    assert LangChainLLM(azure).provider == "azure.ai.openai"
    assert LangChainLLM(ChatOpenAI(model="m", base_url="http://127.0.0.1:9", api_key="k")).provider == "openai"
    assert LangChainLLM(Mute(responses=[GOOD])).provider is None
