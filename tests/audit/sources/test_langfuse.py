"""Langfuse's exports."""

import json

import pytest

from tests.support.audited import read_source, told, write_lines

pytest.importorskip("pyarrow")


def test_langfuse_traces_and_observations(tmp_path):
    retrieved = {
        "type": "RETRIEVER",
        "output": json.dumps([{"page_content": "Closed in 2021.", "metadata": {"source": "a.md"}}]),
    }
    trace = {"id": "t1", "timestamp": "2026-11-03T10:00:00Z", "input": {"question": "When?"}, "output": "In 2021.",
             "metadata": {"release": "v3"}, "observations": [retrieved]}  # fmt: skip
    (answer,) = read_source(write_lines(tmp_path / "a.jsonl", [trace]))
    assert told(answer) == ("t1", "When?", "In 2021.", ["Closed in 2021."], ("a.md",), {"release": "v3"})
    outer = {"id": "o2", "trace_id": "t2", "parent_observation_id": None, "type": "SPAN", "input": '{"query": "When?"}',
             "output": '{"answer": "In 2021."}', "start_time": "2026-11-03T10:00:00Z"}  # fmt: skip
    inner = {"id": "o1", "trace_id": "t2", "parent_observation_id": "o2", "start_time": "2026-11-03T10:00:01Z"}
    rows = [
        {**inner, **retrieved},
        {**inner, "type": "GENERATION", "output": "draft"},
        outer,
        {"id": "t9", "observations": []},
    ]
    answer, lost = read_source(write_lines(tmp_path / "b.jsonl", rows))
    assert told(answer)[:5] == ("t2", "When?", "In 2021.", ["Closed in 2021."], ("a.md",))
    assert lost.reason == "the trace has no output that is a text"
