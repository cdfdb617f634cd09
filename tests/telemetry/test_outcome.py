"""What a recorder hears of every answer."""

from __future__ import annotations

import pytest

from guardrail import Guard, Passage, Policy
from guardrail.telemetry import Outcome, Recorder, Telemetry
from guardrail.testing import FakeEngine

PASSAGES = [Passage(id="p1", text="The dam was closed in May.")]


class Keeps:
    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []

    def record(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)


@pytest.mark.parametrize(("way", "action"), [("check", "none"), ("run", "block")])
def test_an_outcome_is_of_the_answer_as_it_was_generated(way, action):
    keeps = Keeps()
    assert isinstance(keeps, Recorder)
    guard = Guard(
        policy=Policy.strict(), engine=FakeEngine(default="contradicted"), telemetry=Telemetry(recorder=keeps)
    )
    getattr(guard, way)("The dam was closed in June.", PASSAGES, question="When?")
    [outcome] = keeps.outcomes
    assert (outcome.verdict, outcome.score) == (outcome.report.verdict, outcome.report.score)
    assert outcome.verdict.value == "contradicted"
    assert (outcome.action, outcome.policy, outcome.guarded is None) == (action, "strict", way == "check")
    assert (len(outcome.id), outcome.trace_id, outcome.span_id) == (32, None, None)
    assert {"decompose", "verify", "judge"} <= set(outcome.stages)
