"""Recorded answers judged anew, and releases side by side."""

from __future__ import annotations

import json

import pytest

from guardrail import Guard, Policy
from guardrail.service.studio.recorded.chosen import read_chosen
from guardrail.service.studio.recorded.comparison import Comparison
from guardrail.service.studio.recorded.contest import Judge, judge_all, pair_questions, pick
from guardrail.service.studio.recorded.jobs import Job
from tests.service.studio.recorded.conftest import NOW


def judging(source, *judges, order="newest", limit=10, query=None):
    job = Job(Comparison(names=tuple(judge.name for judge in judges)))
    job.run(lambda job: judge_all(job, source, read_chosen(query or {}, NOW), NOW, judges, order, limit))
    return job


def test_recorded_answers_are_judged_anew_by_real_guards(kept):
    source = kept(*((verdict, {"question": 1}) for verdict in ("supported", "contradicted", "contradicted")))
    job = judging(
        source,
        Judge(name="recorded", guard=None),
        Judge(name="strict", guard=Guard(policy=Policy.strict())),
        Judge(name="lax", guard=Guard(policy=Policy.monitor().with_(threshold=0.0))),
    )
    assert (job.state, job.done, job.total) == ("done", 3, 3)
    recorded, strict, lax = job.result.sides()
    assert recorded.unfaithful.value == pytest.approx(2 / 3)
    assert strict.acted.value >= lax.acted.value == 0.0
    one = job.result.rows[0].opinions[1]
    assert (one["engine"], one["policy"]) == ("local", "strict")
    assert one["answer"] == job.result.rows[0].opinions[0]["answer"]
    assert one["findings"][0]["evidence"]
    json.dumps(job.result.rows[0].opinions)


def test_what_cannot_be_judged_is_counted_by_reason(file):
    answer, passage = "The dam opened in 1963.", "The dam opened in 1963."
    source = file(
        json.dumps({"answer": answer, "passages": [passage]}),
        json.dumps({"answer": answer, "passages": []}),
        json.dumps({"answer": answer, "passages": [{"id": "1", "text": passage}, {"id": "1", "text": passage}]}),
    )
    job = judging(source, Judge(name="recorded", guard=None), Judge(name="local", guard=Guard()))
    assert len(job.result.rows) == 1
    assert job.result.rows[0].opinions[0] is None
    assert job.done == 3
    assert job.result.passed_over["It has no passages."] == 1
    assert any("same id" in why for why in job.result.passed_over)


@pytest.mark.parametrize(("order", "found"), [("newest", [4, 3]), ("worst", [2, 4])])
def test_which_answers_are_taken(kept, order, found):
    source = kept(*((verdict, {}) for verdict in ("supported", "contradicted", "supported", "unsupported")))
    with source.open() as connection:
        assert pick(connection, read_chosen({}, NOW), NOW, order, 2) == found
        anyhow = pick(connection, read_chosen({}, NOW), NOW, "random", 3)
        assert pick(connection, read_chosen({}, NOW), NOW, "random", 3) == anyhow


def test_a_comparison_that_is_stopped_keeps_what_it_has(kept):
    source, job = kept(*(("supported", {}) for _ in range(5))), Job(Comparison(names=("a", "b")))

    class Stopping:
        def read(self, connection, numbers):
            job.stop()
            return source.read(connection, numbers)

        open = source.open

    judges = (Judge(name="a", guard=None), Judge(name="b", guard=None))
    job.run(lambda job: judge_all(job, Stopping(), read_chosen({}, NOW), NOW, judges, "newest", 5))
    assert (job.state, job.done, job.total, len(job.result.rows)) == ("stopped", 1, 5, 1)


def test_releases_are_paired_by_question(kept):
    def said(verdict, question, name):
        return (verdict, {"question": question, "labels": {"release": name}})

    source = kept(
        said("supported", 0, "v1"), said("contradicted", 0, "v1"), said("supported", 1, "v1"),
        said("supported", 0, "v2"), said("supported", 1, "v2"), said("contradicted", 2, "v2"),
    )  # fmt: skip
    job = Job(Comparison(names=("v1", "v2"), same="questions"))
    job.run(lambda job: pair_questions(job, source, read_chosen({}, NOW), NOW, "release"))
    assert job.state == "done"
    pairs = {row.opinions[0]["question"]: [o["verdict"] for o in row.opinions] for row in job.result.rows}
    assert pairs == {
        "Why was Larkmoor Dam closed in 2021?": ["contradicted", "supported"],
        "When did the dam open again?": ["supported", "supported"],
    }
