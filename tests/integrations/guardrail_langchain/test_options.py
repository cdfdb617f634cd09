"""Callbacks, options and regeneration of a guarded chain: who hears of the raw answer, and what travels along."""

from __future__ import annotations

import asyncio
import functools
import operator
from unittest import mock

import pytest
from guardrail_langchain import guard_chain
from guardrail_langchain.demo import WordEmbeddings
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import (
    ConfigurableField,
    Runnable,
    RunnableGenerator,
    RunnableLambda,
    RunnableParallel,
    RunnablePassthrough,
)
from langchain_core.tracers.context import tracing_v2_enabled
from langchain_core.tracers.langchain import LangChainTracer
from langchain_core.vectorstores import InMemoryVectorStore
from langsmith.run_helpers import tracing_context

from guardrail import GuardedAnswer, Policy, UsageError
from guardrail.errors import ConfigurationError

FACT, INVENTED, END = "The garage opens at 6:00.", "Parking was invented by a duke.", "A day costs 14 euros."
RAW = f"{FACT} {INVENTED} {END}"
QUESTION = "When does the garage open?"


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


def test_two_concurrent_calls_each_catch_their_own_documents_of_a_shared_retriever(guard):
    """Interleaved on purpose: both retrieve before either answers."""

    async def main():
        barrier = asyncio.Barrier(4)
        store = InMemoryVectorStore(WordEmbeddings())
        store.add_documents([Document(id=f"d{k}", page_content=f"Topic{k} fact.") for k in range(4)])

        async def answer(documents):
            await barrier.wait()
            return documents[0].page_content

        retriever = store.as_retriever(search_kwargs={"k": 1})
        chain = guard_chain(retriever | RunnableLambda(lambda ds: ds[0].page_content, afunc=answer), guard())
        told = {}
        chain.listener = lambda guarded: told.update({guarded.report.question: guarded.report.passages})
        await asyncio.gather(*(chain.ainvoke(f"Topic{k}?") for k in range(4)))
        return told

    assert {q: [p.id for p in ps] for q, ps in asyncio.run(main()).items()} == {
        f"Topic{k}?": [f"d{k}"] for k in range(4)
    }


def test_a_retriever_inside_another_one_does_not_count(document, retriever, guard):
    """What the inner one finds the outer one may drop."""
    from langchain_core.retrievers import BaseRetriever

    class First(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            return [document, Document(id="b", page_content="dropped")]

    class Outer(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            config = {"callbacks": run_manager.get_child()}
            return (RunnableLambda(First().invoke) | (lambda ds: ds[:1])).invoke(query, config)

    told = []
    twice = RunnableParallel(a=Outer(), b=retriever) | (lambda x: x["a"][0].page_content)
    guard_chain(twice, guard(), listener=told.append).invoke(QUESTION)
    assert [[p.id for p in guarded.report.passages] for guarded in told] == [["garage"]]


def test_documents_as_retrieved_are_taken_rather_than_their_text_in_the_output(retriever, guard):
    """Many chains format them for the prompt: ids and titles would be lost."""
    chain = RunnablePassthrough.assign(context=(lambda x: x["input"]) | retriever | str).assign(answer=lambda _: RAW)
    output = guard_chain(chain, guard()).invoke({"input": QUESTION})
    assert [(p.id, p.title) for p in output["guardrail"].report.passages] == [("garage", "Garage")]


def test_a_retriever_that_finds_nothing_is_no_mistake_of_the_caller(guard):
    """The answer is unverified then, and the policy decides."""
    chain = InMemoryVectorStore(WordEmbeddings()).as_retriever() | (lambda _: "The garage opens at 6:00.")
    assert guard_chain(chain, guard()).invoke(QUESTION).startswith("I can't")


def test_documents_and_policy_of_one_call_may_come_in_its_config(document, guard):
    """The object is shared; the config belongs to the call."""
    chain = guard_chain(RunnableLambda(lambda _: RAW), guard("block"))
    config = {"configurable": {"documents": [document]}}
    assert chain.invoke(QUESTION, config).startswith("I can't")
    config["configurable"]["guardrail_policy"] = Policy.monitor()
    assert chain.invoke(QUESTION, config) == RAW
    assert "".join(chain.stream(QUESTION, config)) == RAW
    named = guard_chain(RunnableLambda(lambda _: {"answer": RAW, "docs": ["?"]}), guard(), passages="docs")
    assert [p.id for p in named.invoke(QUESTION, config)["guardrail"].report.passages] == ["garage"]
    config["configurable"]["guardrail_policy"] = "monitor"
    with pytest.raises(UsageError, match="policy must be a Policy, got str"):
        chain.invoke(QUESTION, config)


def test_retry_fallbacks_and_bound_options_work(document, guard):
    """As on any Runnable."""
    calls = []

    def flaky(given, **options):
        calls.append(options)
        if len(calls) < 3:
            raise ConnectionError("busy")
        return {"answer": RAW, "context": [document]}

    chain = (
        guard_chain(RunnableLambda(flaky), guard())
        .bind(stop=["x"])
        .with_retry(wait_exponential_jitter=False, retry_if_exception_type=(ConnectionError,))
    )
    assert chain.invoke(QUESTION)["answer"] == f"{FACT} {END}"
    assert calls == [{"stop": ["x"]}] * 3
    calls.clear()
    spare = guard_chain(RunnableLambda(lambda _: {"answer": FACT, "context": [document]}), guard())
    chain = guard_chain(RunnableLambda(flaky), guard()).with_fallbacks([spare])
    assert chain.invoke(QUESTION)["answer"] == FACT


def test_configurable_fields_and_alternatives_of_the_inner_chain_work(retriever, prompt, guard, model):
    """They travel in the config, which reaches it."""
    fake = model().configurable_alternatives(ConfigurableField(id="llm"), default_key="a", b=model(FACT))
    chain = {"context": retriever | (lambda ds: ds[0].page_content), "input": RunnablePassthrough()} | prompt | fake
    guarded = guard_chain(chain | StrOutputParser(), guard())
    assert guarded.invoke(QUESTION) == f"{FACT} {END}"
    assert guarded.with_config(configurable={"llm": "b"}).invoke(QUESTION) == FACT
    assert [spec.id for spec in guarded.config_specs] == ["llm"]


def test_schemas_and_graph_are_those_of_the_inner_chain(guard, retrieval_chain):
    """So servers and drawings show the chain itself."""
    inner = retrieval_chain().with_types(input_type=dict[str, str])
    chain = guard_chain(inner, guard())
    assert chain.InputType is inner.InputType
    assert chain.OutputType == inner.OutputType
    assert chain.get_input_jsonschema() == inner.get_input_jsonschema()
    assert chain.get_output_jsonschema() == inner.get_output_jsonschema()
    assert chain.get_graph().draw_ascii is not None
    assert [n.name for n in chain.get_graph().nodes.values()] == [n.name for n in inner.get_graph().nodes.values()]


def test_reasoning_and_log_probabilities_go_with_the_text_that_they_spell(document, guard):
    """And stay where the answer stays."""
    about = {"logprobs": {"content": [{"token": "invented"}]}, "model_name": "m", "usage": {"total": 7}}
    reasoning = {"reasoning_content": "a duke invented it, I guess"}
    message = AIMessage(content=RAW, id="run-1", response_metadata=about, additional_kwargs=reasoning)
    for action, kept in (("block", False), ("allow", True)):
        chain = guard_chain(RunnableLambda(lambda _: message), guard(action), passages=lambda _: [document])
        for out in (chain.invoke(QUESTION), functools.reduce(operator.add, chain.stream(QUESTION))):
            assert (out.id, out.response_metadata["model_name"]) == ("run-1", "m")
            assert out.response_metadata["usage"] == {"total": 7}
            assert ("invented" in str(out)) is kept
            assert bool(out.additional_kwargs) is kept


def test_regenerating_runs_the_last_step_on_the_same_documents_with_the_feedback(document, guard, parts_of):
    """The retriever is not asked again."""
    asked, searched = [], []

    def step(given):
        asked.append(given)
        return RAW if len(asked) == 1 else FACT

    def search(given):
        searched.append(given)
        return [document]

    chain = RunnablePassthrough.assign(context=search).assign(answer=RunnableLambda(step))
    for call in (
        lambda c: c.invoke({"input": QUESTION}),
        lambda c: functools.reduce(operator.add, parts_of(c, {"input": QUESTION})),
    ):
        asked.clear(), searched.clear()
        output = call(guard_chain(chain, guard("regenerate"), regenerate=True))
        assert (output["answer"], output["guardrail"].attempts) == (FACT, 2)
        assert len(searched) == 1
        assert asked[1]["context"] is asked[0]["context"]
        assert asked[1]["input"].startswith(f"{QUESTION}\n\n")
        assert INVENTED in asked[1]["input"]
        assert output["input"] == QUESTION


def test_a_callable_is_asked_with_all_that_there_is(guard, lcel):
    """A coroutine function serves ainvoke."""
    asked = []

    async def again(given):
        asked.append(given)
        return {"answer": AIMessage(FACT)}

    chain = guard_chain(lcel(StrOutputParser()), guard("regenerate"), regenerate=again)
    assert asyncio.run(chain.ainvoke(QUESTION)) == FACT
    [given] = asked
    assert set(given) == {"question", "passages", "feedback", "answer", "input"}
    assert (given["question"], given["input"], given["answer"]) == (QUESTION, QUESTION, RAW)
    assert given["passages"][0].metadata["source"] == "g.md"
    assert INVENTED in given["feedback"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"regenerate": True}, r"needs a chain that ends in `\.assign\(answer=\.\.\.\)`"),
        ({"regenerate": 7}, "regenerate must be True, a Runnable or a callable, got int"),
        ({"mode": "sentences"}, "unknown mode 'sentences'. Did you mean 'sentence'"),
        ({"hide_from": True}, "hide_from must be one of 'nobody', 'streams', 'all', got True"),
    ],
)
def test_wrong_options_are_refused_when_the_chain_is_wrapped(options, message, guard, lcel):
    """Not when the first answer fails."""
    with pytest.raises(UsageError, match=message) as caught:
        guard_chain(lcel(StrOutputParser()), guard(), **options)
    assert isinstance(caught.value, ConfigurationError) or "mode" in options


def test_regenerate_true_is_refused_where_the_last_step_makes_more_than_the_answer(document, guard):
    """The rest would still be about the first answer."""
    chain = RunnablePassthrough.assign(context=lambda _: [document]).assign(answer=lambda _: RAW, cited=lambda _: [1])
    with pytest.raises(ConfigurationError, match="regenerate=True needs a chain"):
        guard_chain(chain, guard("regenerate"), regenerate=True)


def test_regenerate_true_needs_the_question_in_the_output(document, guard):
    """The feedback goes behind it."""
    chain = RunnablePassthrough.assign(context=lambda _: [document]).assign(answer=lambda _: RAW)
    with pytest.raises(UsageError, match=r"none of input, query, question .*\['context', 'text'\]"):
        guard_chain(chain, guard("regenerate"), regenerate=True).invoke({"text": QUESTION})


SHAPES = {
    "RetrievalQA": lambda document: {"query": QUESTION, "result": RAW, "source_documents": [document]},
    "conversational": lambda document: {
        "question": QUESTION,
        "answer": RAW,
        "source_documents": [document],
        "generated_question": "?",
    },
    "with_sources": lambda document: {
        "question": QUESTION,
        "answer": RAW,
        "sources": "g.md",
        "source_documents": [document],
    },
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_outputs_of_the_older_chains_are_read_and_kept(shape, document, guard):
    """All keys stay; documents keep their metadata for citations."""
    output = shape(document)
    chain = guard_chain(RunnableLambda(lambda _: dict(output)), guard())
    given = chain.invoke({"query": QUESTION})
    key = "result" if "result" in output else "answer"
    assert isinstance(given["guardrail"], GuardedAnswer)
    assert {k: v for k, v in given.items() if k not in (key, "guardrail")} == {
        k: v for k, v in output.items() if k != key
    }
    assert given[key] == f"{FACT} {END}"
    assert given["guardrail"].report.question == QUESTION
    assert [p.title for p in given["guardrail"].report.passages] == ["Garage"]


@pytest.mark.filterwarnings("ignore::langchain_core._api.deprecation.LangChainDeprecationWarning")
def test_langchains_own_retrieval_chains(retriever, guard, model, parts_of):
    """create_retrieval_chain, and the older RetrievalQA, which hides its documents."""
    classic = pytest.importorskip("langchain_classic.chains")
    from langchain_classic.chains.combine_documents import create_stuff_documents_chain

    prompt = ChatPromptTemplate.from_template("{context}\nQuestion: {input}")
    chain = classic.create_retrieval_chain(retriever, create_stuff_documents_chain(model(), prompt))
    guarded = guard_chain(chain, guard(), mode="sentence", regenerate=True)
    assert guarded.invoke({"input": QUESTION})["answer"] == f"{FACT} {END}"
    parts = parts_of(guarded, {"input": QUESTION})
    assert [next(iter(p)) for p in parts] == ["input", "context", "answer", "answer", "guardrail"]
    assert functools.reduce(operator.add, parts)["answer"] == f"{FACT} {END}"

    older = guard_chain(classic.RetrievalQA.from_chain_type(model(), retriever=retriever), guard())
    for output in (
        older.invoke({"query": QUESTION}),
        functools.reduce(operator.add, parts_of(older, {"query": QUESTION})),
    ):
        assert output["result"] == f"{FACT} {END}"
        assert [p.id for p in output["guardrail"].report.passages] == ["garage"]
        assert output["guardrail"].report.question == QUESTION


def test_a_guarded_chain_stands_inside_other_chains_and_streams_through_them(guard, lcel):
    """Before it and behind it."""
    chain = RunnableLambda(lambda q: q) | guard_chain(lcel(StrOutputParser()), guard(), mode="sentence")

    def upper(texts):
        yield from (text.upper() for text in texts)

    shout = RunnableGenerator(upper)
    assert isinstance(chain | shout, Runnable)
    assert list((chain | shout).stream(QUESTION)) == [FACT.upper(), f" {END}".upper()]
