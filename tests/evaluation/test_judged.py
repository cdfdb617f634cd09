"""The pass that evaluation and calibration share."""

from __future__ import annotations

from guardrail import Guard, Policy
from guardrail.evaluation import LabelledAnswer, judge
from guardrail.types import Passage, Verdict

S, C, U = Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.UNSUPPORTED


def test_judge_checks_each_answer_in_order():
    passages = (Passage(text="The bridge opened in 1931."),)
    answers = [
        LabelledAnswer(id="1", answer="The bridge opened in 1931.", passages=passages, label=S),
        LabelledAnswer(id="2", answer="The bridge opened in 1971.", passages=passages, label=C),
    ]
    ticks = []
    judged = judge(Guard(policy=Policy.monitor().with_(deadline=None)), iter(answers), tick=lambda: ticks.append(1))
    assert [j.answer.id for j in judged] == ["1", "2"]
    assert [j.passed for j in judged] == [True, False]
    assert len(ticks) == 2
