"""Reports of calls that end early."""

from __future__ import annotations

import guardrail.check.plan
from guardrail import Action, Guard, Policy, Verdict
from guardrail.testing import FakeEngine
from guardrail.types import Passage
from tests.support.checks import ANSWER, PASSAGES, check_both


def test_a_bug_of_ours_becomes_one_unverified_finding(monkeypatch):
    """The service stays up, and a strict policy blocks."""

    def broken(*_, **__):
        raise KeyError("oops")

    monkeypatch.setattr(guardrail.check.plan, "decompose", broken)
    for report in check_both(Guard(engine=FakeEngine())):
        [finding] = report.findings
        assert (finding.verdict, finding.text, finding.span) == (Verdict.UNVERIFIED, ANSWER, (0, len(ANSWER)))
        assert "the guard failed: KeyError" in finding.reason
    assert Guard(policy=Policy.strict(), engine=FakeEngine()).run(ANSWER, PASSAGES).action is Action.BLOCK


def test_an_answer_that_declines_among_namesakes_is_no_biography():
    """D-FActScore's fourth category; without namesakes there is none."""
    passages = [
        Passage(id="c", title="Dick Hanley (American football)", text="Dick Hanley coached."),
        Passage(id="s", title="Dick Hanley (swimmer)", text="Dick Hanley swam."),
    ]
    guard = Guard(engine=FakeEngine())
    assert guard.check("I do not know.", passages).scores.category == "no_bio"
    assert guard.check("I do not know.", ["The dam is high."]).scores.category is None
