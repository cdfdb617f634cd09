"""Answers that engines generate on the way, and put among the source nodes, are no evidence."""

import asyncio
import json

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedChatEngine, GuardedQueryEngine, GuardrailEvaluator, to_passages
from llama_index.core import SummaryIndex
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.indices.composability.graph import ComposableGraph
from llama_index.core.indices.query.query_transform.base import StepDecomposeQueryTransform
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.query_engine import (
    CitationQueryEngine,
    MultiStepQueryEngine,
    RetrieverQueryEngine,
    RouterQueryEngine,
    SubQuestionQueryEngine,
)
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.response_synthesizers import TreeSummarize, get_response_synthesizer
from llama_index.core.retrievers import RecursiveRetriever
from llama_index.core.schema import IndexNode, TextNode
from llama_index.core.selectors import LLMMultiSelector
from llama_index.core.tools import QueryEngineTool, QueryPlanTool

from guardrail import Guard, Policy, UsageError
from tests.support.recorded_llama import RecordedLLM

GOOD = "The dam is 64 metres high."
INVENTED = "The reservoir holds nine sharks."
SUB = "What lives in the reservoir?"
QUESTION = "Tell me about the dam and its fish."


def guard():
    policy = Policy(name="test", actions={"unsupported": "redact", "contradicted": "redact"}, deadline=None)
    return Guard(policy=policy)


def sub_engine():
    """A real engine over one true passage, which invents a sentence."""
    index = SummaryIndex([TextNode(id_="n1", text=GOOD)])
    return index.as_query_engine(llm=RecordedLLM(answers={"": INVENTED}))


def tool(engine=None, name="dam"):
    return QueryEngineTool.from_defaults(engine or sub_engine(), name=name, description="about the dam")


def combining():
    """Puts the invented sentence of a sub-answer into the answer."""
    return RecordedLLM(answers={"": f"{GOOD} {INVENTED}"})


def sub_questions(engine=None, use_async=False):
    asked = json.dumps({"items": [{"sub_question": SUB, "tool_name": "dam"}]})
    return SubQuestionQueryEngine(
        LLMQuestionGenerator.from_defaults(llm=RecordedLLM(answers={"": f"```json\n{asked}\n```"})),
        get_response_synthesizer(llm=combining()),
        [tool(engine)],
        verbose=False,
        use_async=use_async,
    )


def multi_step():
    return MultiStepQueryEngine(
        sub_engine(),
        StepDecomposeQueryTransform(llm=RecordedLLM(answers={"": SUB})),
        get_response_synthesizer(llm=combining()),
        num_steps=2,
    )


def router():
    chosen = json.dumps([{"choice": 1, "reason": "dam"}, {"choice": 2, "reason": "fish"}])
    return RouterQueryEngine(
        LLMMultiSelector.from_defaults(llm=RecordedLLM(answers={"": chosen})),
        [tool(), tool(sub_questions())],
        llm=combining(),
        summarizer=TreeSummarize(llm=combining()),
    )


ENGINES = {
    "sub_questions": sub_questions,
    "nested": lambda: sub_questions(sub_questions()),
    "multi_step": multi_step,
    "router": router,
    "citations": lambda: CitationQueryEngine.from_args(SummaryIndex([TextNode(id_="n1", text=GOOD)]), llm=combining()),
}


@pytest.mark.parametrize("run", ["query", "aquery"])
@pytest.mark.parametrize("kind", ENGINES)
def test_an_invented_sub_answer_is_no_evidence_for_itself(kind, run):
    """The sentence that the sub-answer invented goes; the one that a retrieved node says stays."""
    engine = GuardedQueryEngine(ENGINES[kind](), guard(), hide_from="all")
    response = engine.query(QUESTION) if run == "query" else asyncio.run(engine.aquery(QUESTION))
    assert str(response) == GOOD
    passages = response.metadata["guardrail"].report.passages
    assert passages
    assert all(GOOD in passage.text and "sharks" not in passage.text for passage in passages)


def test_the_sources_stay_those_of_the_engine():
    """What the inner engine reports stays reachable, for whoever passes ``passages`` of their own."""
    seen = []

    def all_nodes(nodes):
        seen.extend(node.get_content() for node in nodes)
        return to_passages(nodes)

    GuardedQueryEngine(sub_questions(), guard(), passages=all_nodes).query(QUESTION)
    assert seen == [f"Sub question: {SUB}\nResponse: {INVENTED}", GOOD]


def test_the_evaluator_does_not_count_them_either():
    """It reads the same nodes."""
    result = GuardrailEvaluator(guard()).evaluate_response(QUESTION, sub_questions().query(QUESTION))
    assert result.passing is False
    assert INVENTED in result.feedback


def test_a_plan_of_queries_puts_its_answers_among_the_sources_too():
    """QueryPlanTool, whose response an agent's tools hand on."""
    plan = QueryPlanTool.from_defaults([tool()], get_response_synthesizer(llm=combining()))
    nodes = [{"id": 1, "query_str": SUB, "tool_name": "dam"}, {"id": 2, "query_str": QUESTION, "dependencies": [1]}]
    response = plan(nodes=nodes).raw_output
    assert [node.get_content() for node in response.source_nodes] == [f"Query: {SUB}\nResponse: {INVENTED}\n"]
    assert to_passages(response.source_nodes) == []


def test_a_document_that_looks_like_one_is_evidence():
    """Nodes of documents know where they come from, or have metadata; sub-answers have nothing but their text."""
    text = f"Sub question: {SUB}\nResponse: {GOOD}"
    from_document = SummaryIndex.from_documents([IndexNode(text=text, index_id="x")]).as_retriever().retrieve("?")
    assert [p.text for p in to_passages(from_document)] == [text]
    assert len(to_passages(SummaryIndex([TextNode(text=text, metadata={"page": 1})]).as_retriever().retrieve("?"))) == 1
    assert (
        len(to_passages(SummaryIndex([TextNode(text=f"Question: {SUB}\nAnswer: 3")]).as_retriever().retrieve("?"))) == 1
    )


def recursive(**options):
    link = IndexNode(text="the dam", index_id="dam")
    root = SummaryIndex([link]).as_retriever()
    return RecursiveRetriever("root", {"root": root}, query_engine_dict={"dam": sub_engine()}, **options)


def linked():
    """An index whose node stands for a query engine."""
    return SummaryIndex(objects=[IndexNode(text="the dam", index_id="dam", obj=sub_engine())]).as_retriever()


def graph():
    index = SummaryIndex([TextNode(id_="n1", text=GOOD)])
    made = ComposableGraph.from_indices(SummaryIndex, [index], index_summaries=["the dam"])
    return made.as_query_engine(llm=combining())


HIDDEN = {
    "RecursiveRetriever": lambda: RetrieverQueryEngine.from_args(recursive(), llm=combining()),
    "SummaryIndexRetriever": lambda: RetrieverQueryEngine.from_args(linked(), llm=combining()),
    "ComposableGraphQueryEngine": graph,
    "in a tool": lambda: sub_questions(RetrieverQueryEngine.from_args(recursive(), llm=combining())),
}


@pytest.mark.parametrize("kind", HIDDEN)
def test_engines_whose_generated_nodes_cannot_be_told_are_refused(kind):
    """Their source nodes are answers without a mark: the caller has to say which are passages."""
    with pytest.raises(UsageError, match=r"generated answers .* passages="):
        GuardedQueryEngine(HIDDEN[kind](), guard())
    mine = GuardedQueryEngine(HIDDEN[kind](), guard(), passages=lambda _: [GOOD])
    assert str(mine.query(QUESTION)) == GOOD


def test_chat_engines_over_them_are_refused_too():
    """A retriever that answers."""
    with pytest.raises(UsageError, match="RecursiveRetriever"):
        GuardedChatEngine(
            ContextChatEngine.from_defaults(
                recursive(), llm=combining(), memory=ChatMemoryBuffer.from_defaults(token_limit=99)
            ),
            guard(),
        )
