"""Where answer, documents and question are."""

from __future__ import annotations

import pytest
from guardrail_langchain import guard_chain
from langchain_core.runnables import (
    RunnableLambda,
)

from guardrail import GuardedAnswer, Policy, UsageError
from tests.support.garage import END, FACT, QUESTION, RAW


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
