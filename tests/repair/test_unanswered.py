"""What is delivered where there is no answer: always a refusal."""

from __future__ import annotations

import pytest

from guardrail import Action, Guard, Policy, Verdict
from guardrail.repair.edits import TIMED_OUT
from guardrail.repair.unanswered import unanswered
from guardrail.testing import FakeEngine
from guardrail.types import Cause

REPORT = Guard(engine=FakeEngine()).check("", [])


@pytest.mark.parametrize("fail", ["open", "closed"])
def test_nothing_is_let_through_under_any_policy(fail: str) -> None:
    policy = Policy(name="house", fail=fail, actions={"unverified": "allow"})  # type: ignore[arg-type]
    guarded = unanswered(REPORT, "no answer within 3 s", policy)
    assert (guarded.action, guarded.text) == (Action.BLOCK, TIMED_OUT["en"])
    assert (guarded.decision.policy, guarded.decision.rule) == ("house", "unverified")


def test_it_counts_as_unverified_for_want_of_time_and_says_why() -> None:
    report = unanswered(REPORT, "no answer within 3 s", Policy.strict()).report
    (finding,) = report.findings
    assert report.verdict is Verdict.UNVERIFIED
    assert (finding.verdict, finding.cause, finding.text) == (Verdict.UNVERIFIED, Cause.TIMEOUT, "")
    assert report.reason == "No answer within 3 s."


def test_the_policys_own_words_are_delivered() -> None:
    policy = Policy(messages={"en": "Please ask our staff."})
    assert unanswered(REPORT, "no answer within 3 s", policy).text == "Please ask our staff."
