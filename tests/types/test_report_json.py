"""Reports as plain JSON, and back: nothing that a reader of the record needs is lost on the way."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from guardrail import Guard, Passage, Policy, Verdict
from guardrail.testing import FakeEngine
from guardrail.types import Cause, Report
from guardrail.types.report import finding_record
from guardrail.types.report_json import read_report, report_record


def report(*texts: str, engine: FakeEngine | None = None) -> Report:
    """Of an answer of these sentences; those with "Halloway" are contradicted."""
    engine = engine or FakeEngine({"Halloway": "contradicted"}, default="supported")
    passages = [
        Passage(id="dam", title="Guide", text="The dam is 64 metres high."),
        Passage(id="x", text="Bees dance."),
    ]
    return Guard(policy=Policy.monitor(), engine=engine).check(" ".join(texts), passages, question="How high?")


def test_a_report_comes_back_from_its_record() -> None:
    """But for claims, groups, usage and engine, which the record leaves out."""
    before = report("The dam is 64 metres high.", "Rita Halloway built it.")
    after = read_report(json.loads(json.dumps(report_record(before))))
    for name in ("question", "answer", "verdict", "score", "passages", "findings", "reason", "retrieved"):
        assert getattr(after, name) == getattr(before, name), name
    assert replace(after.scores, category=None) == replace(before.scores, category=None)
    assert [finding.verdict for finding in after.findings] == [Verdict.SUPPORTED, Verdict.CONTRADICTED]


def test_why_nobody_judged_comes_back() -> None:
    before = report("The dam is high.", engine=FakeEngine(default=RuntimeError("down")))
    [finding] = read_report(report_record(before)).findings
    assert (finding.verdict, finding.cause) == (Verdict.UNVERIFIED, Cause.ENGINE)


def test_texts_that_are_left_out_are_cut_from_answer_and_passage() -> None:
    before = report("The dam is 64 metres high.", "Rita Halloway built it.")
    raw = report_record(before)
    for finding in raw["findings"]:
        del finding["text"], finding["claim"]
        for quote in finding["evidence"]:
            del quote["quote"]
    after = read_report(raw)
    assert [finding.text for finding in after.findings] == ["The dam is 64 metres high.", "Rita Halloway built it."]
    assert [finding.evidence for finding in after.findings] == [finding.evidence for finding in before.findings]


def test_fields_that_stand_elsewhere_count_more_than_those_of_the_record() -> None:
    raw = report_record(report("The dam is 64 metres high."))
    assert read_report(raw, question="How old?", verdict=Verdict.UNSUPPORTED).question == "How old?"
    assert read_report(raw, verdict=Verdict.UNSUPPORTED).verdict is Verdict.UNSUPPORTED


def test_an_unknown_verdict_is_refused_by_name() -> None:
    raw = {**report_record(report("The dam is 64 metres high.")), "verdict": "perhaps"}
    with pytest.raises(ValueError, match="'perhaps'"):
        read_report(raw)


def test_scores_are_rounded_for_readers_and_kept_for_the_way_back() -> None:
    [finding] = report("The dam is 64 metres high.").findings
    exact = replace(finding, score=0.123456789)
    assert finding_record(exact)["score"] == 0.1235
    whole = replace(report("The dam is 64 metres high."), findings=(exact,), score=0.123456789)
    assert whole.to_dict(texts=True)["score"] == 0.1235
    assert read_report(report_record(whole)).findings[0].score == read_report(report_record(whole)).score == 0.123456789
