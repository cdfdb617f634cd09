"""The LLM engine whole: a real client, a real server on loopback, the conformance suite, budgets and deadlines."""

import asyncio
import json
from typing import Any

import pytest

from guardrail import ConfigurationError, Guard, Passage, Policy, Verdict
from guardrail.engines.llm.engine import PLANS, LLMEngine
from guardrail.engines.llm.models.openai import OpenAILLM
from guardrail.engines.llm.requests.calls import CallSettings, Prices
from guardrail.testing import OpenAIServer, check_engine
from guardrail.types import ErrorType, Report
from tests.support.judge_script import ByPrompt, ReadingJudge
from tests.support.model_faults import ALL_KINDS, ModelFaults

PASSAGES = [
    Passage(
        id="dam",
        title="Larkmoor Dam",
        text="Larkmoor Dam was built between 1958 and 1963. It is 64 metres high. The village was moved because "
        "the reservoir flooded the valley.",
    ),
    Passage(id="lake", text="The reservoir holds 41 million cubic metres of water. Boats are not allowed on it."),
]
TRUE = "Larkmoor Dam was built between 1958 and 1963. The reservoir holds 41 million cubic metres of water."
MIXED = f"{TRUE} Rita Halloway painted the turbines in 1999."


def engine(server: OpenAIServer, **options: Any) -> LLMEngine:
    return LLMEngine(llm=OpenAILLM(model="scripted", base_url=server.base_url), **options)


def guard(server: OpenAIServer, *, deadline: float | None = None, **options: Any) -> Guard:
    return Guard(policy=Policy.monitor().with_(deadline=deadline), engine=engine(server, **options))


def verdicts(report: Report) -> list[str]:
    return [finding.verdict.value for finding in report.findings]


@pytest.mark.parametrize("plan", PLANS)
def test_every_plan_keeps_the_contract_of_engines(plan: str) -> None:
    with OpenAIServer(ReadingJudge()) as server:
        check_engine(engine(server, plan=plan, cache=None))


def test_fast_takes_two_calls_and_thorough_two_rounds() -> None:
    with OpenAIServer(ReadingJudge()) as server:
        fast = guard(server).check(MIXED, PASSAGES)
        thorough = guard(server, plan="thorough").check(MIXED, PASSAGES)
    assert (fast.usage.calls, fast.usage.rounds) == (2, 2)
    assert (thorough.usage.calls, thorough.usage.rounds) == (1 + 3, 2)  # none of the three states a relation
    assert verdicts(fast) == verdicts(thorough) == ["supported", "supported", "unsupported"]


def test_sync_and_async_find_the_same() -> None:
    with OpenAIServer(ReadingJudge()) as server:
        one = guard(server, cache=None).check(MIXED, PASSAGES)
        other = asyncio.run(guard(server, cache=None).acheck(MIXED, PASSAGES))
    assert verdicts(one) == verdicts(other)
    assert one.claims == other.claims
    assert one.usage.calls == other.usage.calls


def test_claims_come_with_a_verdict_by_passage() -> None:
    with OpenAIServer(ReadingJudge()) as server:
        report = guard(server).check(TRUE, PASSAGES)
    assert report.claims
    for claim in report.claims:
        assert [ident for ident, _ in claim.by_passage] == ["dam", "lake"]
        assert claim.verdict is Verdict.SUPPORTED
        for evidence in claim.evidence:
            text = next(p.text for p in PASSAGES if p.id == evidence.passage_id)
            assert evidence.span.of(text) == evidence.quote


def test_tokens_are_counted_and_priced() -> None:
    with OpenAIServer(ReadingJudge()) as server:
        usage = guard(server, prices=Prices(input=1.0, output=10.0)).check(TRUE, PASSAGES).usage
        assert usage.input_tokens == server.tokens
    assert usage.output_tokens > 0
    assert usage.cost == pytest.approx((usage.input_tokens + 10 * usage.output_tokens) / 1e6)


def test_a_warm_answer_costs_no_call() -> None:
    with OpenAIServer(ReadingJudge()) as server:
        warm = guard(server)
        first = warm.check(MIXED, PASSAGES)
        server.reset()
        again = warm.check(MIXED, PASSAGES)
        assert server.call_count == 0
    assert again.usage.calls == 0
    assert again.usage.cache_hits == 4
    assert (again.findings, again.claims) == (first.findings, first.claims)


def test_a_spent_budget_leaves_segments_unverified_and_says_so() -> None:
    with OpenAIServer(ReadingJudge()) as server:
        report = guard(server, plan="thorough", settings=CallSettings(max_calls=3)).check(MIXED, PASSAGES)
        assert server.call_count == 3
    assert verdicts(report).count("unverified") == 1
    assert "budget" in next(f.reason for f in report.findings if f.verdict is Verdict.UNVERIFIED)


def test_a_deadline_is_kept_and_what_is_late_is_unverified() -> None:
    with OpenAIServer(ReadingJudge(), seconds=600.0) as server:
        report = guard(server, deadline=0.6).check(TRUE, PASSAGES)
        late = asyncio.run(guard(server, deadline=0.6).acheck(TRUE, PASSAGES))
        assert server.calls == ()  # both reports are there before the first reply
    assert set(verdicts(report)) == set(verdicts(late)) == {"unverified"}


def test_where_decomposing_fails_the_rules_decompose_and_the_judge_still_judges() -> None:
    def script(body: dict[str, Any]) -> Any:
        judged = ReadingJudge()(body)
        return judged if "documents" in str(body["messages"][-1]) else "I would rather not."

    with OpenAIServer(script) as server:
        report = guard(server).check(MIXED, PASSAGES)
    assert verdicts(report) == ["supported", "supported", "unsupported"]
    assert "rules" in report.reason


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_no_fault_of_a_server_makes_anything_supported_that_is_not(kind: str) -> None:
    with OpenAIServer(ReadingJudge(), faults=ModelFaults(rate=1.0, seed=3, kinds=(kind,))) as server:
        settings = CallSettings(timeout=0.4, attempts=2, first_wait=0.01, longest_wait=0.05)
        report = guard(server, settings=settings, deadline=3.0).check(MIXED, PASSAGES)
    assert len(report.findings) >= 3
    wrong = [f for f in report.findings if "Halloway" in f.text]
    assert wrong
    assert all(f.verdict is not Verdict.SUPPORTED for f in wrong)


def test_a_relation_that_the_documents_do_not_state_fails_the_segment() -> None:
    answer = "The reservoir flooded the valley because the village was moved."
    tie = ["s1.r", "The other way round.", "causal_confusion"]

    def judge(body: dict[str, Any]) -> str:
        points = json.loads(ReadingJudge()(body).text)["points"]
        return json.dumps({"who": [], "points": [tie if point[0] == "s1.r" else point for point in points]})

    with OpenAIServer(ByPrompt({"judge": judge}, ReadingJudge())) as server:
        report = guard(server, plan="thorough").check(answer, PASSAGES)
        assert report.usage.calls == 2  # decompose, judge
    [finding] = report.findings
    assert (finding.verdict, finding.error_type) == (Verdict.UNSUPPORTED, ErrorType.CAUSAL_CONFUSION)
    assert finding.reason == "The other way round."
    assert finding.score < 0.5
    assert report.claims[0].verdict is Verdict.SUPPORTED  # its facts hold; what ties them does not


def test_two_individuals_of_one_name_are_told_apart() -> None:
    passages = [
        Passage(title="Dick Hanley (swimmer)", text="Dick Hanley was a swimmer. Dick Hanley was born in 1936."),
        Passage(title="Dick Hanley (American football)", text="Dick Hanley coached football at Northwestern."),
    ]
    answer = "Dick Hanley was a swimmer. Dick Hanley was born in 1936. Dick Hanley coached football at Northwestern."
    with OpenAIServer(ReadingJudge()) as server:
        report = guard(server).check(answer, passages)
    assert report.findings[-1].error_type is ErrorType.MIXED_ENTITIES
    assert report.scores.factscore == 1.0
    assert report.scores.d_factscore is not None
    assert report.scores.d_factscore < 1.0


@pytest.mark.parametrize(
    ("wrong", "named"),
    [({"plan": "quick"}, "quick"), ({"language": "fr"}, "fr"), ({"plan": "paper"}, "paper")],
)
def test_wrong_options_are_named(wrong: dict[str, Any], named: str) -> None:
    llm = OpenAILLM(model="m", base_url="http://127.0.0.1:9")
    with pytest.raises(ConfigurationError, match=named):
        LLMEngine(llm=llm, **wrong)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="OpenAILLM"):
        LLMEngine(llm="gpt")


def test_two_engines_of_one_making_have_one_identity() -> None:
    llm = OpenAILLM(model="m", base_url="http://127.0.0.1:9")
    assert LLMEngine(llm=llm).identity == LLMEngine(llm=llm).identity
    assert len({LLMEngine(llm=llm, plan=plan).identity for plan in PLANS}) == len(PLANS)


def test_a_policy_that_gives_too_little_time_is_told_so(caplog: pytest.LogCaptureFixture) -> None:
    llm = OpenAILLM(model="m", base_url="http://127.0.0.1:9")
    Guard(policy=Policy.monitor(), engine=LLMEngine(llm=llm))
    assert "with_(deadline=30)" in caplog.text
    caplog.clear()
    Guard(policy=Policy.monitor().with_(deadline=30), engine=LLMEngine(llm=llm))
    Guard(policy=Policy.monitor())
    assert not caplog.text
