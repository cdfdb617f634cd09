"""What a guard with its policy catches."""

from __future__ import annotations

from guardrail import Guard, Passage, Policy
from guardrail.evaluation.stress import inject
from guardrail.evaluation.stress.report import examine, summarise
from guardrail.testing import FakeEngine

TEXT = (
    "The town library has 84 seats. Some readers voted against the plan. The old hall closed because the roof leaked. "
    "All books are lent free except the atlases. The choir sang before the mayor opened the hall."
)


def test_a_policy_that_allows_everything_catches_nothing():
    """What is counted is what the policy does, not what the engine thinks."""
    answers = list(inject([Passage(text=TEXT)], per_type=2))
    actions = {"contradicted": "allow", "unsupported": "allow", "logic": "allow"}
    silent = Guard(policy=Policy(actions=actions), engine="local")
    assert sum(outcome.objected for outcome in examine(silent, answers)) == 0
    assert sum(outcome.objected for outcome in examine(Guard(), answers)) > 0


def test_what_nobody_judged_is_neither_caught_nor_a_false_alarm():
    answers = list(inject([Passage(text="青池水深12米，禁止游泳。只有会员才能借阅地图。")], per_type=2))
    guard = Guard(engine=FakeEngine(default="unverified"))
    report = summarise(examine(guard, answers), guard)
    assert report.alarms == 0
    assert report.honest_unverified == report.honest > 0
    assert all(result.caught == 0 and result.unverified == result.made for result in report.types)
