"""One round of batches: tried, sent, waited for and read; what failed in it is asked once more, and paid once."""

from __future__ import annotations

import pytest

from guardrail import Guard
from tests.support.batch_server import BatchServer, Plan
from tests.support.batched import PATIENT, PROVIDERS, causes, checked, engine, rows, spoil_judging, told
from tests.support.judge_script import ReadingJudge


@pytest.mark.parametrize("fault", ["error", "expired", "malformed", "missing", "stranger"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_fails_in_a_batch_is_asked_by_ordinary_calls(provider, fault, tmp_path):
    todo = rows(6)
    with BatchServer(ReadingJudge()) as server:
        expected = told(checked(server, provider, todo))
        server.counts.clear()
        server.plan = Plan(lines=["", fault, fault])
        together = checked(server, provider, todo, tmp_path / "state")
        assert [each[:6] for each in told(together)] == [each[:6] for each in expected]
        assert server.counts["chat"] == 3
        assert sum(report.usage.retries for report in together) == 2


@pytest.mark.parametrize(("fault", "cause"), [("error", "engine"), ("expired", "timeout"), ("missing", "reply")])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_without_such_calls_the_answer_is_unverified_and_a_second_start_mends_it(provider, fault, cause, tmp_path):
    todo, state = rows(6), tmp_path / "state"
    with BatchServer(ReadingJudge(), Plan(looks=0)) as server:
        first = engine(server, provider, state, retry_share=0.0)
        work = iter(Guard(engine=first, policy=PATIENT).check_many(todo))
        server.plan.lines = []
        spoil_judging(server, fault)
        reports = list(work)
        assert sum(cause in each for each in causes(reports)) == 1
        assert sum(report.verdict == "unverified" for report in reports) == 1
        assert state.exists()
        submits, asked = server.counts["submit"], sum(server.sizes)
        again = checked(server, provider, todo, state)
        assert {report.verdict for report in again} == {"supported", "contradicted"}
        assert sum(server.sizes) == asked  # the one request was the one that tries the endpoint
        assert server.counts["submit"] == submits
    assert not state.exists()


def test_a_batch_refused_as_a_whole_says_why(tmp_path):
    said = []
    with BatchServer(ReadingJudge(), Plan(fails="token_limit_exceeded")) as server:
        reports = checked(server, "openai", rows(3), tmp_path / "state", retry_share=0.0, tell=said.append)
        assert all("token_limit_exceeded" in str((r.reason, r.findings)) for r in reports)
        assert {report.verdict for report in reports} == {"unverified"}
    assert any("Start the same once more" in line for line in said)


def test_a_wrong_key_fails_before_a_file_is_sent(tmp_path):
    from guardrail.testing import Reply

    with BatchServer(lambda _: Reply("No.", status=401)) as server:
        reports = checked(server, "openai", rows(3), tmp_path / "state")
        assert {report.verdict for report in reports} == {"unverified"}
        assert server.counts == {"chat": 1}


def test_a_batch_that_does_not_end_in_time_is_gone_on_with(tmp_path):
    todo, state = rows(4), tmp_path / "state"
    with BatchServer(ReadingJudge(), Plan(stuck=True)) as server:
        reports = checked(server, "openai", todo, state, wait=0.05)
        assert "timeout" in set().union(*causes(reports))
        assert server.counts["chat"] <= 2  # not asked by ordinary calls: it may still be answered
        server.plan.stuck = False
        again = checked(server, "openai", todo, state)
        assert {report.verdict for report in again} == {"supported", "contradicted"}
        assert set(server.billed.values()) == {1}


def test_a_refusal_is_paid_and_final(tmp_path):
    with BatchServer(ReadingJudge(), Plan(looks=0)) as server:
        spoil_judging(server, "refused")
        reports = checked(server, "openai", rows(5), tmp_path / "state")
        (refused,) = [report for report in reports if report.verdict == "unverified"]
        assert "refused" in str(refused.findings)
        assert refused.usage.cost > 0
        assert server.counts["chat"] == 1
