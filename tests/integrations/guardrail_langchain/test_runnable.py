"""A guarded chain is a Runnable like others."""

from __future__ import annotations

import functools
import operator

import pytest
from guardrail_langchain import guard_chain
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import (
    ConfigurableField,
    Runnable,
    RunnableGenerator,
    RunnableLambda,
    RunnablePassthrough,
)

from tests.support.garage import END, FACT, QUESTION, RAW


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
