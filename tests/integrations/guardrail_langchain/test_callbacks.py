"""Who hears of the raw answer inside a guarded chain."""

from __future__ import annotations

import asyncio
from unittest import mock

import pytest
from guardrail_langchain import guard_chain
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.output_parsers import StrOutputParser
from langchain_core.tracers.context import tracing_v2_enabled
from langchain_core.tracers.langchain import LangChainTracer
from langsmith.run_helpers import tracing_context

from tests.support.garage import QUESTION, RAW


async def events_of(chain, given, **config):
    return [event async for event in chain.astream_events(given, config or None, version="v2")]


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_no_event_of_a_stream_holds_what_is_withheld(mode, guard, lcel):
    """The wrapper's own events are all there; those of the inner chain, which hold the raw answer, are not."""
    chain = guard_chain(lcel(StrOutputParser()), guard("block"), mode=mode).with_config(run_name="rag")
    events = asyncio.run(events_of(chain, QUESTION))
    assert {event["event"] for event in events} == {"on_chain_start", "on_chain_stream", "on_chain_end"}
    assert {event["name"] for event in events} == {"rag"}
    assert "invented" not in str(events)
    assert events[-1]["data"]["output"].endswith("it is not supported by the sources.")


def test_in_observe_mode_events_show_the_inner_chain_too(guard, lcel):
    """Its text leaves unchecked anyway."""
    chain = guard_chain(lcel(StrOutputParser()), guard("block"), mode="observe")
    assert "on_chat_model_stream" in {event["event"] for event in asyncio.run(events_of(chain, QUESTION))}


def test_where_nothing_is_hidden_events_show_the_inner_chain_too(guard, lcel):
    """For those who want its progress, and know that it is unchecked; the wrapper's own stay clean."""
    chain = guard_chain(lcel(StrOutputParser()), guard("block"), hide_from="nobody").with_config(run_name="rag")
    events = asyncio.run(events_of(chain, QUESTION))
    assert {"on_chat_model_stream", "on_retriever_end"} <= {event["event"] for event in events}
    assert "invented" in str(events)
    assert "invented" not in str([event for event in events if event["name"] == "rag"])


class Ear(BaseCallbackHandler):
    """All that it hears, as text; names of runs with their tags and metadata."""

    def __init__(self):
        self.heard, self.runs, self.models = [], [], 0

    def on_chain_start(self, serialized, inputs, *, run_id, parent_run_id=None, tags=None, metadata=None, **kwargs):
        self.runs.append((kwargs.get("name"), parent_run_id, tags, metadata))

    def on_chain_end(self, outputs, **kwargs):
        self.heard.append(str(outputs))

    def on_chat_model_start(self, *args, **kwargs):
        self.models += 1

    def on_llm_end(self, response, **kwargs):
        self.heard.append(str(response))


CALLS = {
    "invoke": lambda chain, config: chain.invoke({"input": QUESTION}, config),
    "ainvoke": lambda chain, config: asyncio.run(chain.ainvoke({"input": QUESTION}, config)),
    "stream": lambda chain, config: list(chain.stream({"input": QUESTION}, config)),
    "astream": lambda chain, config: asyncio.run(events_of(chain, {"input": QUESTION}, **config)),
}


@pytest.mark.parametrize("call", CALLS)
def test_callbacks_hear_the_inner_chain_unless_they_are_detached(call, guard, retrieval_chain):
    """Default: tracers see the raw answer. With hide_from="all" nobody does, nor in the wrapper's own output."""
    for hide_from in ("streams", "all"):
        ear, told = Ear(), []
        chain = guard_chain(retrieval_chain(), guard("block"), hide_from=hide_from, listener=told.append)
        config = {"callbacks": [ear], "tags": ["t"], "metadata": {"tenant": "a"}}
        CALLS[call](chain, config)
        name, parent, tags, metadata = ear.runs[0]
        assert (name, parent, tags, metadata["tenant"]) == ("GuardedChain", None, ["t"], "a")
        assert (len(ear.runs) > 1) is (ear.models == 1) is (hide_from != "all")
        assert ("invented" in "".join(ear.heard)) is (hide_from != "all")
        assert [guarded.report.answer for guarded in told] == [RAW]
        for _, parent, tags, metadata in ear.runs[1:]:
            assert parent is not None
            assert ("t" in tags, metadata["tenant"]) == (True, "a")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("tracing", ["switch", "block"])
def test_detached_chains_are_not_traced_by_langsmiths_own_switch(tracing, call, guard, retrieval_chain):
    """It adds a tracer to whatever has none; only the outer run is traced then."""
    traced = []

    def note(self, run):
        traced.append((run.name, run.parent_run_id))

    def work(hide_from):
        traced.clear()
        with tracing_context(enabled=True) if tracing == "switch" else tracing_v2_enabled(client=mock.MagicMock()):
            CALLS[call](guard_chain(retrieval_chain(), guard("block"), hide_from=hide_from), {})
        return list(traced)

    with (
        mock.patch("langchain_core.tracers.langchain.get_client"),
        mock.patch.multiple(LangChainTracer, _persist_run_single=note, _update_run_single=lambda self, run: None),
    ):
        assert work(hide_from="all") == [("GuardedChain", None)]
        assert len(work(hide_from="streams")) > 3
