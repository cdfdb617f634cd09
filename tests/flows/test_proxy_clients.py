"""The clients that teams have, pointed at the service by its address only."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI
from llama_index.core.llms import ChatMessage
from llama_index.core.prompts.default_prompts import DEFAULT_TEXT_QA_PROMPT
from llama_index.llms.openai_like import OpenAILike

from guardrail.repair.edits import BLOCKED
from guardrail.service import Settings, create_app
from tests.support.openai_clients import joined
from tests.support.proxied import (
    ASKED,
    CONTEXT,
    PASSAGES,
    QUESTION,
    RIGHT,
    Upstream,
    aclient,
    completion,
    model,
    proxy,
    serving,
    write_policy,
)  # fmt: skip


def test_openai_async():
    async def asked(url):
        async with aclient(url) as client:
            given = {"model": "m", "messages": ASKED}
            whole, stream = await asyncio.gather(
                client.chat.completions.create(**given), client.chat.completions.create(**given, stream=True)
            )
            return whole.choices[0].message.content, joined([each async for each in stream])

    with proxy(model, "redact") as (url, _):
        assert asyncio.run(asked(url)) == (RIGHT, RIGHT)


@pytest.mark.parametrize("way", ["invoke", "stream", "ainvoke", "astream"])
def test_langchain(way):
    """ChatOpenAI with the passages in a system message; the reason of the end of a block is kept."""
    messages = [SystemMessage(CONTEXT["content"]), HumanMessage(QUESTION["content"])]

    async def awaited(llm):
        if way == "ainvoke":
            return await llm.ainvoke(messages)
        whole = None
        async for each in llm.astream(messages):
            whole = each if whole is None else whole + each
        return whole

    def said(url):
        llm = ChatOpenAI(model="m", base_url=f"{url}/v1", api_key="any", max_retries=0)
        if way == "invoke":
            return llm.invoke(messages)
        if way == "stream":
            whole = None
            for each in llm.stream(messages):
                whole = each if whole is None else whole + each
            return whole
        return asyncio.run(awaited(llm))

    with proxy(model, "redact") as (url, _):
        assert said(url).content == RIGHT
    with proxy(model, "block") as (url, _):
        blocked = said(url)
    assert blocked.content == BLOCKED["en"]
    assert blocked.response_metadata["finish_reason"] == "content_filter"


def test_langchain_tools():
    """The result of a tool is the evidence."""
    asking = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "s", "arguments": "{}"}}],
    }
    messages = [HumanMessage("How high?"), asking, ToolMessage(" ".join(PASSAGES), tool_call_id="c")]
    with proxy(model, "redact") as (url, _):
        llm = ChatOpenAI(model="m", base_url=f"{url}/v1", api_key="any", max_retries=0)
        assert llm.invoke(messages).content == RIGHT


@pytest.mark.parametrize("way", ["complete", "chat", "stream_chat"])
def test_llama_index(way):
    """OpenAILike with LlamaIndex's own prompt, in which the passages stand between two lines of dashes."""
    prompt = DEFAULT_TEXT_QA_PROMPT.format(context_str="\n\n".join(PASSAGES), query_str="How high is it?")
    with proxy(model, "redact") as (url, upstream):
        llm = OpenAILike(model="m", api_base=f"{url}/v1", api_key="any", is_chat_model=True, max_retries=0)
        if way == "complete":
            said = llm.complete(prompt).text
        elif way == "chat":
            said = llm.chat([ChatMessage(role="user", content=prompt)]).message.content
        else:
            said = [*llm.stream_chat([ChatMessage(role="user", content=prompt)])][-1].message.content
    assert said == RIGHT
    assert upstream.bodies[0]["messages"][-1]["content"] == prompt


def test_the_local_engine_reads_the_evidence():
    """End to end with the shipped model."""
    passages = [
        "Larkmoor Dam was closed to visitors on 4 May 2021 after divers found a crack in the spillway gate.",
        "The repair took eleven weeks and cost 2.3 million euros.",
    ]
    answer = (
        "Larkmoor Dam was closed to visitors on 4 May 2021. The repair took eleven weeks and cost 9.7 million euros."
    )
    policy = write_policy({"actions": {"contradicted": "redact", "unsupported": "redact"}})
    context = {"role": "system", "content": "\n".join(f"[{n}] {p}" for n, p in enumerate(passages, 1))}
    upstream = Upstream(lambda _: completion(answer))
    with serving(upstream) as address:
        settings = Settings(guards={"default": {"policy": policy}}, upstreams={"main": {"url": f"{address}/v1"}})
        with serving(create_app(settings)) as url:

            async def asked():
                async with aclient(url) as client:
                    return await client.chat.completions.create(model="m", messages=[context, QUESTION])

            said = asyncio.run(asked())
    assert said.choices[0].message.content == "Larkmoor Dam was closed to visitors on 4 May 2021."
    verdicts = [(f["verdict"], [e["passage_id"] for e in f["evidence"]]) for f in said.guardrail["findings"]]
    assert verdicts[0] == ("supported", ["1"])
    assert verdicts[1][0] in ("contradicted", "unsupported")
