"""What a guard with its policy catches."""

from __future__ import annotations

import pytest

from guardrail import Guard, Passage, Policy
from guardrail.evaluation.stress import inject
from guardrail.evaluation.stress.report import examine, summarise, wilson
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


def test_wilson_interval():
    """Values of the textbook formula: 0 of 10 and 5 of 10 (Newcombe 1998, table I, method 3)."""
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    with pytest.raises(ValueError, match="0 of 0"):
        wilson(0, 0)
