"""The bill of each plan, on the case of benchmarks/llm_calls: n = 8 sentences, s = 5 segments, m = 20 claims, k = 5."""

from __future__ import annotations

import pytest

from benchmarks.llm_calls.replies import ANSWER, CASE, PASSAGES, reply
from guardrail import Guard, Policy
from guardrail.engines.llm.engine import LLMEngine
from guardrail.engines.llm.models.openai import OpenAILLM
from guardrail.engines.llm.requests.settings import CallSettings
from guardrail.testing import OpenAIServer


def check(plan):
    """Check the case by a plan: the report, and calls and rounds as the server saw them."""
    with OpenAIServer(reply, seconds=0.3) as server:
        llm = OpenAILLM("scripted", base_url=server.base_url, api_key="none")
        engine = LLMEngine(llm=llm, plan=plan, cache=None, settings=CallSettings(max_calls=None))
        guard = Guard(policy=Policy.monitor().with_(deadline=None), engine=engine)
        report = guard.check(ANSWER, PASSAGES, question=CASE["question"])
        return report, server.call_count, server.rounds


@pytest.mark.parametrize(("plan", "calls"), [("fast", 2), ("thorough", 1 + 5 + 3)])
def test_our_plans_give_the_outputs_of_all_three_seeds_in_two_rounds(plan, calls):
    """Claims with labels by passage, logic, FS and D-FS; the report's own bill is what the server saw."""
    report, asked, rounds = check(plan)
    assert (asked, rounds) == (report.usage.calls, report.usage.rounds) == (calls, 2)
    assert len(report.claims) == 20
    assert all(len(claim.by_passage) == 5 for claim in report.claims)
    scores = report.scores
    assert (scores.factscore, scores.d_factscore) == (pytest.approx(17 / 20), pytest.approx(17 / 20))
    assert (scores.entailment, scores.contradiction, scores.neutral) == (0.85, 0.05, 0.1)
    assert scores.faithfulness == pytest.approx(3 / 5)
    assert report.findings[-1].error_type == "overgeneralization"


@pytest.mark.parametrize(
    ("plan", "calls"),
    [("paper:face4rag", 1 + 2 * 5), ("paper:refchecker", 1 + 5 * 4), ("paper:d-factscore", 8 + 1 + 20 * 5)],
)
def test_the_papers_plans_cost_what_the_papers_cost(plan, calls):
    """1 + 2s, 1 + k*ceil(m/5), n + 1 + m*T (each passage describes something else here, so T = k)."""
    report, asked, _ = check(plan)
    assert asked == report.usage.calls == calls
    assert sum(finding.verdict == "unverified" for finding in report.findings) == 0
