"""The evaluator of runs."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("langgraph")
from guardrail_langchain import guard_chain, guardrail_evaluator
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.tracers.base import BaseTracer
from langsmith.evaluation.evaluator import DynamicRunEvaluator

from guardrail.testing import FakeEngine
from tests.support.langchain_evaluated import DOCUMENT, FACT, INVENTED, QUESTION, RAW, RETRIEVER, guard


class Run:
    """As LangSmith's client gives it."""

    def __init__(self, inputs, outputs, run_type="chain", children=()):
        self.inputs, self.outputs, self.run_type, self.child_runs = inputs, outputs, run_type, list(children)


JSON_DOCUMENT = {"id": "garage", "page_content": FACT, "metadata": {"title": "Garage"}, "type": "Document"}


CONSTRUCTED = {"lc": 1, "type": "constructor", "id": ["Document"], "kwargs": {"id": "garage", "page_content": FACT}}


RETRIEVAL = Run({"query": QUESTION}, {"documents": [JSON_DOCUMENT]}, "retriever")


RUNS = {
    "dict": Run({"input": QUESTION}, {"answer": RAW, "context": [DOCUMENT]}),
    "json": Run({"input": QUESTION}, {"answer": RAW, "context": [JSON_DOCUMENT]}),
    "constructed": Run({"input": QUESTION}, {"answer": RAW, "context": [CONSTRUCTED]}),
    "message": Run({"input": QUESTION}, {"output": {"content": RAW, "type": "ai"}, "context": [FACT]}),
    "retriever": Run({"input": QUESTION}, {"output": RAW}, children=[Run({}, {}, children=[RETRIEVAL])]),
    "inputs": Run({"question": QUESTION, "context": [FACT]}, {"output": RAW}),
}


SCORES = {"call": lambda e, *a, **k: e(*a, **k), "acall": lambda e, *a, **k: asyncio.run(e.acall(*a, **k))}


@pytest.mark.parametrize("how", SCORES)
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_runs_are_scored_wherever_they_keep_their_documents(run, how):
    """Both forms of call."""
    engine = FakeEngine({"invented": "unsupported"})
    evaluator = guardrail_evaluator(guard(engine=engine))
    result = SCORES[how](evaluator, run, None)
    assert (result["key"], result["score"], result["value"]) == ("groundedness", pytest.approx(0.1), "unsupported")
    assert INVENTED in result["comment"]
    assert FACT not in result["comment"]
    assert (engine.calls[0].question, engine.calls[0].passages[0].text) == (QUESTION, FACT)
    if not run.child_runs:
        same = SCORES[how](evaluator, inputs=run.inputs, outputs=run.outputs, reference_outputs={})
        assert same == result


@pytest.mark.parametrize("how", SCORES)
def test_a_run_that_cannot_be_checked_says_why(how):
    """And spoils no other."""
    for run, why in (
        (Run({}, None), "the run has no outputs"),
        (Run({}, {"answer": RAW}), "no passages in"),
        (Run({}, {"answer": 7, "context": []}), "got int"),
    ):
        result = SCORES[how](guardrail_evaluator(guard()), run)
        assert result["score"] is None
        assert why in result["comment"]
    result = SCORES[how](guardrail_evaluator(guard()), Run({}, {"answer": FACT, "context": []}))
    assert (result["score"], result["value"]) == (None, "unverified")


def test_the_evaluator_reads_the_runs_of_a_real_chain():
    """As a tracer records them, an LCEL chain that ends in a string."""
    traced = []

    class Collector(BaseTracer):
        def _persist_run(self, run):
            traced.append(run)

    model = GenericFakeChatModel(messages=iter([AIMessage(RAW)]))
    chain = {"context": RETRIEVER, "input": RunnablePassthrough()} | RunnableLambda(str) | model | StrOutputParser()
    chain.invoke(QUESTION, {"callbacks": [Collector()]})
    [run] = traced
    result = guardrail_evaluator(guard())(run)
    assert (result["value"], INVENTED in result["comment"]) == ("unsupported", True)


def test_langsmith_takes_the_evaluator():
    """Without a service: the class that evaluate() wraps evaluators in."""
    from uuid import uuid4

    from langsmith.schemas import Run as LangSmithRun

    run = LangSmithRun(
        id=uuid4(), name="rag", start_time="2026-01-01T00:00:00", run_type="chain", trace_id=uuid4(),
        inputs={"input": QUESTION}, outputs={"answer": RAW, "context": [JSON_DOCUMENT]},
    )  # fmt: skip
    evaluator = guardrail_evaluator(guard(), key="grounded")
    for wrapped in (DynamicRunEvaluator(evaluator), DynamicRunEvaluator(evaluator.acall)):
        result = asyncio.run(wrapped.aevaluate_run(run))
        assert (result.key, result.score, result.value) == ("grounded", pytest.approx(0.1), "unsupported")


def test_the_output_of_a_guarded_chain_can_be_evaluated():
    """What was delivered is what is scored."""
    chain = guard_chain(RunnableLambda(lambda _: {"answer": RAW, "context": [DOCUMENT]}), guard("redact"))
    output = chain.invoke({"input": QUESTION})
    assert guardrail_evaluator(guard())(inputs={"input": QUESTION}, outputs=output)["value"] == "supported"
