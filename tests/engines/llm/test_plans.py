"""The plans: how many calls in how many rounds, what is asked again, what is remembered, and what is made of replies."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.llm_calls import replies as case
from guardrail import Guard, Policy
from guardrail.check.contract import DecomposeRequest
from guardrail.check.decompose import decompose
from guardrail.engines.llm import plans
from guardrail.engines.llm.caches.memory import MemoryCache
from guardrail.engines.llm.engine import LLMEngine
from guardrail.engines.llm.models.openai import OpenAILLM
from guardrail.engines.llm.protocol import Completion, LLMError, Prompt
from guardrail.engines.llm.requests.settings import CallSettings
from guardrail.testing import OpenAIServer
from guardrail.types import Report
from tests.support.fences import unfence
from tests.support.llm_plans import ANSWER, SETTING, items, judge, request, run, verdicts


def test_fast_judges_facts_and_logic_of_all_segments_in_one_call() -> None:
    asked = request()
    matrix, rounds = run(plans.judge_all(asked, SETTING), judge)
    assert [len(prompts) for prompts in rounds] == [1]
    assert verdicts(asked, matrix) == ["not"] * 5
    assert {logic.segment_id for logic in matrix.logic} == {s.id for s in asked.segments if s.relations}


def test_thorough_judges_facts_and_logic_of_each_segment_in_a_call_of_its_own() -> None:
    asked = request()
    matrix, [prompts] = run(plans.judge_each(asked, SETTING), judge)
    assert [[item["id"] for item in items(prompt)] for prompt in prompts] == [[s.id] for s in asked.segments]
    assert verdicts(asked, matrix) == ["not"] * 5
    tied = {s.id for s in asked.segments if s.relations}
    assert 0 < len(tied) < len(asked.segments)
    assert {logic.segment_id for logic in matrix.logic} == tied
    relations = [item["relation"] for prompt in prompts for item in items(prompt)]
    assert relations == [None, {"id": "s2.r", "words": "because"}, None, None, None]  # "All" is judged with its point


def test_the_prompts_of_an_answer_begin_alike_so_that_providers_can_cache_them() -> None:
    _, [prompts] = run(plans.judge_each(request(question="How high?"), SETTING), judge)
    assert len({p.system for p in prompts}) == 1
    shared = prompts[0].user[: prompts[0].user.index('<data name="segments">')]
    assert "Bees dance." in shared
    assert all(p.user.startswith(shared) for p in prompts)


@pytest.mark.parametrize("plan", [plans.judge_all, plans.judge_each])
def test_what_a_reply_lacks_is_asked_once_more_and_only_that(plan: Any) -> None:
    asked = request()
    dropped: list[str] = []

    def forgetful(prompt: Prompt) -> Any:
        said = judge(prompt)
        first = items(prompt)[0]["id"]
        if not dropped and first == "s1":
            dropped.append("s1")
            return said | {"points": said["points"][1:]}
        return said

    matrix, rounds = run(plan(asked, SETTING), forgetful)
    assert len(rounds) == 2
    assert [s["id"] for prompt in rounds[1] for s in items(prompt)] == ["s1"]
    assert verdicts(asked, matrix) == ["not"] * 5


@pytest.mark.parametrize("plan", [plans.judge_all, plans.judge_each])
@pytest.mark.parametrize(
    "said",
    [
        "I am sorry.",
        "",
        "[]",
        "null",
        '{"segments": []}',
        '{"points": {}}',
        '{"points": [1, 2]}',
        '{"points": [["s1.1", 1]]}',
        '{"points": []}',
        Completion(text='{"who": [], "points": [["s1.1", "d1 S', cut_off=True),
        {"who": [], "points": [["s99.1", "d1 S Larkmoor Dam is 64 metres high.", "ok"]]},
        LLMError("HTTP 500"),
    ],
)
def test_a_reply_that_says_nothing_leaves_every_segment_unverified(plan: Any, said: Any) -> None:
    asked = request()
    matrix, rounds = run(plan(asked, SETTING), lambda _: said)
    assert verdicts(asked, matrix) == ["unverified"] * 5
    assert len(rounds) == (1 if isinstance(said, LLMError) else 2)


def test_segments_that_nobody_asked_for_spoil_the_whole_reply() -> None:
    asked = request()

    def surplus(prompt: Prompt) -> Any:
        said = judge(prompt)
        return {"who": [], "points": [*said["points"], ["s6.1", "no document says it", "hallucination"]]}

    matrix, _ = run(plans.judge_all(asked, SETTING), surplus)
    assert verdicts(asked, matrix) == ["unverified"] * 5


def test_a_point_judged_twice_is_not_judged() -> None:
    asked = request()

    def twice(prompt: Prompt) -> Any:
        said = judge(prompt)["points"]
        return {"who": [], "points": [said[0], *said]}

    matrix, _ = run(plans.judge_all(asked, SETTING), twice)
    assert verdicts(asked, matrix)[0] == "unverified"


def test_a_very_long_answer_is_judged_in_several_calls_of_one_round() -> None:
    asked = request(" ".join(f"Turbine {n} was replaced in {1900 + n}." for n in range(150)))
    matrix, rounds = run(plans.judge_all(asked, SETTING), judge)
    assert [len(prompts) for prompts in rounds] == [3]
    assert verdicts(asked, matrix) == ["not"] * 150


def draft_of(prompt: Prompt) -> dict[str, Any]:
    units = [unit for unit in unfence(prompt.user)["answer"] if unit["unit"]]
    segments: Sequence[dict[str, Any]] = [
        {"units": [u["unit"]], "part": "", "text": "", "who": "", "relation": "", "points": []} for u in units
    ]
    return {"who": [], "segments": segments, "no_claim": [], "abstains": False}


def asked_draft() -> DecomposeRequest:
    return DecomposeRequest(answer=ANSWER, question="How high is it?", parts=decompose(ANSWER))


def test_decomposing_takes_one_call_and_is_remembered() -> None:
    setting = replace(SETTING, cache=MemoryCache())
    draft, rounds = run(plans.decompose(asked_draft(), setting), draft_of)
    assert [len(prompts) for prompts in rounds] == [1]
    assert len(draft.parts.checked) == 5
    again, none = run(plans.decompose(asked_draft(), setting), draft_of)
    assert (none, again.parts, again.usage.cache_hits) == ([], draft.parts, 1)


@pytest.mark.parametrize("said", ["no", "{}", LLMError("HTTP 500"), '{"segments": 1}'])
def test_where_the_model_cannot_decompose_the_rules_do(said: Any) -> None:
    draft, _ = run(plans.decompose(asked_draft(), SETTING), lambda _: said)
    assert draft.parts == asked_draft().parts
    assert draft.reason


@pytest.mark.parametrize("ident", [["s1"], {"id": "s1"}, None, 1])
def test_an_id_of_a_wrong_type_spoils_its_reply_only(ident: Any) -> None:
    asked = request(" ".join(f"Turbine {n} was replaced in {1900 + n}." for n in range(70)))

    def garbled(prompt: Prompt) -> Any:
        said = judge(prompt)
        return {"who": [], "points": [[ident, "ok"]]} if said["points"][0][0] == "s1.1" else said

    matrix, _ = run(plans.judge_all(asked, SETTING), garbled)
    assert verdicts(asked, matrix) == ["unverified"] * 60 + ["not"] * 10


# The bill of each plan on the case of benchmarks/llm_calls: n = 8 sentences, s = 5 segments, m = 20 claims, k = 5.


def check(plan: str) -> tuple[Report, int, int]:
    """Check the case by a plan: the report, and calls and rounds as the server saw them."""
    with OpenAIServer(case.reply, seconds=0.3) as server:
        llm = OpenAILLM("scripted", base_url=server.base_url, api_key="none")
        engine = LLMEngine(llm=llm, plan=plan, cache=None, settings=CallSettings(max_calls=None))
        guard = Guard(policy=Policy.monitor().with_(deadline=None), engine=engine)
        report = guard.check(case.ANSWER, case.PASSAGES, question=case.CASE["question"])
        return report, server.call_count, server.rounds


@pytest.mark.parametrize(("plan", "calls"), [("fast", 2), ("thorough", 1 + 5)])
def test_our_plans_give_the_outputs_of_all_three_seeds_in_two_rounds(plan: str, calls: int) -> None:
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
def test_the_papers_plans_cost_what_the_papers_cost(plan: str, calls: int) -> None:
    """1 + 2s, 1 + k*ceil(m/5), n + 1 + m*T (each passage describes something else here, so T = k)."""
    report, asked, _ = check(plan)
    assert asked == report.usage.calls == calls
    assert sum(finding.verdict == "unverified" for finding in report.findings) == 0
