"""GuardedQueryEngine around real llama-index-core engines."""

import asyncio

import pytest
from guardrail_llamaindex import GuardedQueryEngine
from guardrail_llamaindex.query_engine import to_passages

from guardrail import Action, Guard, Policy, UsageError, Verdict

pytest.importorskip("llama_index.core")

from llama_index.core.base.response.schema import StreamingResponse
from llama_index.core.query_engine import CustomQueryEngine, RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

TEXT = "The walkway on top of Larkmoor Dam is open from 9:00 to 17:00 between April and October."


class FixedRetriever(BaseRetriever):
    """Always the same two nodes."""

    def _retrieve(self, query_bundle):
        first = TextNode(id_="n1", text=TEXT, metadata={"title": "Larkmoor Dam"})
        second = TextNode(id_="n2", text="The dam is 64 metres high.", metadata={"title": 7})
        return [NodeWithScore(node=first, score=1.0), NodeWithScore(node=second, score=0.5)]


class RecordedEngine(CustomQueryEngine):
    """Answers from a record, streaming if told so."""

    answer: str
    stream: bool = False

    def custom_query(self, query_str):
        nodes = FixedRetriever().retrieve(query_str)
        if self.stream:
            words = self.answer.split(" ")
            return StreamingResponse(iter([words[0], *(f" {w}" for w in words[1:])]), nodes, {"kept": 1})
        from llama_index.core.base.response.schema import Response

        return Response(self.answer, nodes, {"kept": 1})


def test_supported_answer_passes_with_nodes_and_metadata():
    """The answer, its source nodes and its metadata survive; the verdict is in the metadata."""
    response = GuardedQueryEngine(RecordedEngine(answer=TEXT), Guard()).query("When is it open?")
    assert str(response) == TEXT
    assert [n.node.node_id for n in response.source_nodes] == ["n1", "n2"]
    assert response.metadata["kept"] == 1
    assert response.metadata["guardrail"].report.verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("run", ["query", "aquery"])
def test_blocked_text_leaves_nowhere(run, stream):
    """Under strict a wrong number is replaced in sync, async and streaming engines."""
    wrong = TEXT.replace("17:00", "22:30")
    engine = GuardedQueryEngine(RecordedEngine(answer=wrong, stream=stream), Guard(policy=Policy.strict()))
    response = engine.query("When?") if run == "query" else asyncio.run(engine.aquery("When?"))
    assert response.metadata["guardrail"].action is Action.BLOCK
    assert "22:30" not in str(response)


def test_retriever_query_engine_works():
    """A real RetrieverQueryEngine with LlamaIndex's own mock model is guarded through the same seam."""
    from llama_index.core.llms import MockLLM
    from llama_index.core.response_synthesizers import get_response_synthesizer

    synthesizer = get_response_synthesizer(llm=MockLLM(max_tokens=8))
    inner = RetrieverQueryEngine(retriever=FixedRetriever(), response_synthesizer=synthesizer)
    response = GuardedQueryEngine(inner, Guard()).query(QueryBundle("When is it open?"))
    report = response.metadata["guardrail"].report
    assert [p.id for p in report.passages] == ["n1", "n2"]
    assert [p.title for p in report.passages] == ["Larkmoor Dam", None]


def test_nodes_that_share_an_id_stay_apart():
    """Merged results can hold one node twice; both become passages with ids of their own."""
    node = NodeWithScore(node=TextNode(id_="n1", text=TEXT))
    assert [p.id for p in to_passages([node, node])] == ["n1", "n1#2"]


def test_concurrent_queries_do_not_cross():
    """Eight queries at once through one engine object each get the report of their own answer."""
    engine = GuardedQueryEngine(RecordedEngine(answer=TEXT), Guard())

    async def ask():
        return await asyncio.gather(*(engine.aquery(f"question {n}") for n in range(8)))

    responses = asyncio.run(ask())
    assert [r.metadata["guardrail"].report.question for r in responses] == [f"question {n}" for n in range(8)]


def test_wrong_guard_is_refused():
    """A policy in place of the guard is a clear error."""
    with pytest.raises(UsageError, match="must be a Guard, got Policy"):
        GuardedQueryEngine(RecordedEngine(answer=TEXT), Policy.strict())
