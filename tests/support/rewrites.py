"""Feedback on answers, and what the local rewriter makes of it."""

from __future__ import annotations

import json
from importlib import resources

from guardrail import Passage, Policy
from guardrail.repair.feedback import Feedback

REWRITE = Policy(
    actions={"contradicted": "rewrite", "unsupported": "rewrite", "unverified": "redact"}, on_exhausted="redact"
)
CASE = json.loads(resources.files("guardrail.evaluation.data").joinpath("demo_case.json").read_text(encoding="utf-8"))
DOCUMENTS = [Passage(id=str(n), **each) for n, each in enumerate(CASE["documents"], 1)]


def feedback_of(report, policy=REWRITE):
    return Feedback(
        answer=report.answer, question=report.question, report=report, decision=policy.decide(report), attempt=2
    )
