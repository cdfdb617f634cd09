"""Responses, their nodes as passages, and what the metadata say."""

import copy
import json
import pickle

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedQueryEngine, to_passages
from llama_index.core.schema import NodeWithScore, TextNode

from guardrail import Guard, GuardedAnswer
from guardrail.testing import FakeEngine
from tests.support.llama_queries import GOOD, TEXT, guard_for, inner_engine


def test_a_verdict_that_is_not_hidden_quotes_what_was_withheld():
    """Its attributes are those of the whole GuardedAnswer: for logs, not for the reader."""
    response = GuardedQueryEngine(inner_engine(), guard_for("redact")).query("How high?")
    assert "sharks" in response.metadata["guardrail"].report.answer
    assert "sharks" not in str(response)


@pytest.mark.parametrize("hide_from", ["streams", "all"])
def test_metadata_are_json(hide_from):
    """As plain data, and with the attributes of the answer; also copied and pickled."""
    response = GuardedQueryEngine(inner_engine(), guard_for("redact"), hide_from=hide_from).query("How high?")
    read = json.loads(json.dumps(response.metadata))["guardrail"]
    assert (read["verdict"], read["action"]) == ("unsupported", "redact")
    assert "sharks" not in json.dumps(response.metadata) + repr(response)
    assert [f["verdict"] for f in read["findings"]] == ["supported", "unsupported"]
    record = response.metadata["guardrail"]
    assert isinstance(record.guarded, GuardedAnswer)
    assert (record.text, record.attempts) == (GOOD, 1)
    assert record.to_dict(texts=True)["text"] == GOOD
    for copied in (copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert copied == record
        assert copied.report == record.report
    assert not hasattr(record, "nothing")


def test_own_passages():
    """Generated nodes (sub-answers) can be kept out of the evidence."""
    engine = GuardedQueryEngine(
        inner_engine(), Guard(engine=FakeEngine()), passages=lambda nodes: to_passages(nodes)[:1]
    )
    response = engine.query("How high?")
    assert len(response.metadata["guardrail"].report.passages) == 1
    assert len(response.source_nodes) == 2


def test_nodes_that_share_an_id_stay_apart():
    """Merged results can hold one node twice; both become passages with ids of their own."""
    node = NodeWithScore(node=TextNode(id_="n1", text=TEXT))
    assert [p.id for p in to_passages([node, node])] == ["n1", "n1#2"]
