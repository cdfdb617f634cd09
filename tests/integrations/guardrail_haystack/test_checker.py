"""In real pipelines."""

import asyncio

import pytest

pytest.importorskip("haystack", reason="haystack-ai is not installed")
from guardrail_haystack import GroundingChecker
from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.document_stores.in_memory import InMemoryDocumentStore

from guardrail import Guard, Policy, UsageError
from guardrail.testing import FakeEngine
from tests.support.dialect_server import RIGHT, SOURCE, VERDICTS, WRONG

BOTH = f"{RIGHT} {WRONG}"


def guard(action="redact"):
    return Guard(policy=Policy(name="p", actions={"contradicted": action}), engine=FakeEngine(VERDICTS))


def pipeline(action="redact"):
    store = InMemoryDocumentStore()
    store.write_documents([Document(content=SOURCE, meta={"title": "Dams"}), Document(content="Bread is baked.")])
    made = Pipeline()
    made.add_component("retriever", InMemoryBM25Retriever(store, top_k=1))
    made.add_component("checker", GroundingChecker(guard=guard(action)))
    made.connect("retriever.documents", "checker.documents")
    return made


def given(replies):
    return {"retriever": {"query": "dam"}, "checker": {"replies": replies, "question": "How high is it?"}}


def test_in_a_pipeline():
    out = pipeline().run(given([BOTH, RIGHT]))["checker"]
    assert out["replies"] == [RIGHT, RIGHT]
    assert [r["action"] for r in out["results"]] == ["redact", "allow"]
    assert out["results"][1]["findings"][0]["evidence"][0]["title"] == "Dams"
    assert not out["blocked"]


def test_awaited():
    out = asyncio.run(pipeline("block").run_async(given([BOTH])))["checker"]
    assert out["blocked"]
    assert WRONG not in out["replies"][0]


def test_messages_keep_what_they_are():
    calls = ChatMessage.from_assistant(tool_calls=[ToolCall(tool_name="search", arguments={})])
    said = ChatMessage.from_assistant(BOTH, meta={"model": "m"})
    text, called = pipeline().run(given([said, calls]))["checker"]["replies"]
    assert text.text == RIGHT
    assert (text.meta["model"], text.meta["guardrail"]["action"]) == ("m", "redact")
    assert called == calls


def test_a_pipeline_in_a_file():
    made = Pipeline()
    made.add_component("checker", GroundingChecker(policy="strict"))
    again = Pipeline.loads(made.dumps(), allowed_modules=["guardrail_haystack.*"]).get_component("checker")
    assert (again.policy, again.engine) == ("strict", "local")
    with pytest.raises(UsageError, match="cannot be serialized"):
        GroundingChecker(guard=guard()).to_dict()


def test_the_real_engine():
    checker = GroundingChecker(policy="strict")
    checker.warm_up()
    out = checker.run(["The dam is 94 metres high."], [Document(content=SOURCE)])
    assert out["blocked"]
