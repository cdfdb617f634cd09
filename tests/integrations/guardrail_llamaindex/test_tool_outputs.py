"""What tools returned: nodes and texts are evidence; what a query engine generated is none, nor what failed."""

from __future__ import annotations

import threading
from typing import Any

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedQueryEngine
from guardrail_llamaindex.tool_outputs import HANDOFF, queries_heard, retrieved, without_unchecked
from llama_index.core import SummaryIndex
from llama_index.core.base.response.schema import RESPONSE_TYPE, Response
from llama_index.core.query_engine import BaseQueryEngine
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.tools import ToolOutput

from guardrail import Guard, Policy
from guardrail.testing import FakeEngine
from tests.support.recorded_llama import RecordedLLM

GOOD = "The dam is 64 metres high."
BAD = "The reservoir holds nine sharks."
NODE = TextNode(id_="n1", text=GOOD)
SUB_ANSWER = TextNode(id_="sub", text=f"Sub question: What lives there?\nResponse: {BAD}")


def engine(answer: str = BAD) -> BaseQueryEngine:
    return SummaryIndex([NODE]).as_query_engine(llm=RecordedLLM(answers={"": answer}))


def output(raw: Any, content: str | None = None, name: str = "tool", **more: Any) -> ToolOutput:
    return ToolOutput(
        tool_name=name, raw_input={}, raw_output=raw, content=str(raw) if content is None else content, **more
    )


def told(*outputs: ToolOutput, heard: list[RESPONSE_TYPE] | None = None) -> list[tuple[str, str]]:
    return [(scored.node.node_id, scored.node.get_content()) for scored in retrieved(outputs, heard or [])]


def test_nodes_count_once_and_texts_under_the_name_of_their_tool() -> None:
    outputs = [
        output([NODE, SUB_ANSWER]),
        output([NodeWithScore(node=NODE, score=0.5)]),
        output("It rains.", name="weather"),
    ]
    assert told(*outputs) == [("n1", GOOD), ("weather-3", "It rains.")]
    (scored,) = retrieved(outputs[2:], [])
    assert scored.node.metadata == {"title": "weather"}


@pytest.mark.parametrize(
    "nothing", [output("It broke.", is_error=True), output("My turn ends.", name=HANDOFF), output(""), output([])]
)
def test_what_failed_is_empty_or_hands_over_is_no_evidence(nothing: ToolOutput) -> None:
    assert told(nothing) == []


def test_of_an_answer_only_the_source_nodes_count() -> None:
    sources = [NodeWithScore(node=NODE), NodeWithScore(node=SUB_ANSWER)]
    assert told(output(Response(BAD, sources))) == [("n1", GOOD)]
    heard: list[RESPONSE_TYPE] = [Response(BAD, sources)]
    assert told(output(f"Answer: {BAD}"), heard=heard) == [("n1", GOOD)]
    assert told(output(f"Answer: {BAD}")) == [("tool-1", f"Answer: {BAD}")]


def test_an_empty_answer_that_was_heard_is_in_no_text() -> None:
    heard: list[RESPONSE_TYPE] = [Response("  ", []), Response(None, [])]
    assert told(output("It rains."), heard=heard) == [("tool-1", "It rains.")]


def test_unchecked_words_are_taken_out_and_their_sources_stay() -> None:
    sources = [NodeWithScore(node=NODE), NodeWithScore(node=SUB_ANSWER)]
    left = without_unchecked(output(f"Answer: {BAD}"), [Response(BAD, sources)])
    assert (left.tool_name, left.content) == ("tool", "")
    assert [node.node_id for node in left.raw_output.source_nodes] == ["n1"]
    assert BAD not in repr(left)


def test_what_nobody_generated_and_what_was_checked_is_left_as_it_is() -> None:
    guard = Guard(policy=Policy.monitor(), engine=FakeEngine())
    checked = GuardedQueryEngine(engine(GOOD), guard).query("How high?")
    for given in (output("It rains."), output([NODE]), output(checked)):
        assert without_unchecked(given, [checked, Response("something else", [])]) is given


def test_only_engines_asked_inside_are_heard_also_when_they_answer_later() -> None:
    heard: list[RESPONSE_TYPE] = []
    other: list[RESPONSE_TYPE] = []
    engine().query("Before?")
    with queries_heard(heard):
        engine("One.").query("First?")
        with queries_heard(other):
            engine("Two.").query("Second?")
        elsewhere = threading.Thread(target=engine("Three.").query, args=("Third?",))
        elsewhere.start()
        elsewhere.join()
    engine().query("After?")
    assert [str(answer) for answer in heard] == ["One."]
    assert [str(answer) for answer in other] == ["Two."]
