"""Answers judged in batches over real HTTP: the same verdicts, in order, and nothing paid twice."""

from __future__ import annotations

import pytest

from guardrail import Guard, Policy, UsageError
from guardrail.engines.llm import (
    AnthropicLLM,
    BatchSettings,
    CallSettings,
    LLMEngine,
    OpenAILLM,
    Prices,
)
from guardrail.errors import ConfigurationError
from tests.support.batch_server import BatchServer, Plan
from tests.support.judge_script import ReadingJudge

PASSAGES = ["The dam is 64 metres high.", "The repair took eleven weeks because the gate was stuck."]
PROVIDERS = ("openai", "anthropic")
PRICES = Prices(input=1000.0, output=4000.0)
PATIENT = Policy.monitor().with_(deadline=None)


def rows(count):
    """Answers in turn right and wrong, with passages of their own."""
    return [
        {
            "answer": f"The dam is {64 if n % 2 else 71} metres high. Report {n} says so.",
            "passages": [*(f"{text} (Sheet {n}.)" for text in PASSAGES), f"Report {n} says so."],
        }
        for n in range(count)
    ]


def model(server, provider):
    if provider == "anthropic":
        return AnthropicLLM("m", base_url=server.url, api_key="k")
    return OpenAILLM("m", base_url=f"{server.url}/v1", api_key="k")


def engine(server, provider, state=None, *, plan="fast", llm=None, **options):
    batches = state and BatchSettings(state=state, longest_poll=0.01, **options)
    quick = CallSettings(first_wait=0.0, longest_wait=0.0)
    llm = llm or model(server, provider)
    return LLMEngine(llm=llm, plan=plan, batches=batches, prices=PRICES, settings=quick)


def checked(server, provider, todo, state=None, **options):
    guard = Guard(engine=engine(server, provider, state, **options), policy=PATIENT)
    return list(guard.check_many(todo))


def told(reports):
    """What a report says of its answer, beside time and cost."""
    return [
        (r.answer, r.verdict, r.score, r.findings, r.claims, r.reason, r.usage.calls, r.usage.rounds) for r in reports
    ]


def causes(reports):
    return [{finding.cause for finding in report.findings} - {None} for report in reports]


@pytest.mark.parametrize("plan", ["fast", "thorough"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_same_verdicts_at_half_the_price(provider, plan, tmp_path):
    todo = rows(9)
    with BatchServer(ReadingJudge()) as server:
        one_by_one = checked(server, provider, todo, plan=plan)
        calls = server.counts["chat"]
        together = checked(server, provider, todo, tmp_path / "state", plan=plan)
        assert told(together) == told(one_by_one)
        assert {report.verdict for report in together} == {"supported", "contradicted"}
        assert server.counts["chat"] == calls + 1  # the one call that tries the endpoint
        assert sum(server.sizes) == calls - 1
        assert len(server.sizes) == 2
        full, half = (sum(report.usage.cost for report in each) for each in (one_by_one, together))
        assert full / 2 < half < 0.6 * full
    assert not (tmp_path / "state").exists()


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


def spoil_judging(server, fault):
    """One request of the second batch goes wrong."""
    end = server._end

    def ending(name, batch):
        server.plan.lines = [fault] if name == "batch_1" else []
        end(name, batch)

    server._end = ending


@pytest.mark.parametrize("provider", PROVIDERS)
def test_rate_limits_and_broken_replies_are_waited_out(provider, tmp_path):
    """A batch whose sending broke off after it had arrived is found, not sent again."""
    todo = rows(4)
    with BatchServer(ReadingJudge(), Plan(submits=[429, 429, 503, "lost"], polls=[503, 429])) as server:
        reports = checked(server, provider, todo, tmp_path / "state")
        assert {report.verdict for report in reports} == {"supported", "contradicted"}
        assert server.sizes == [3, 4]
        assert set(server.billed.values()) == {1}


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_batch_that_is_not_taken_leaves_its_answers_unverified(status, tmp_path):
    with BatchServer(ReadingJudge(), Plan(submits=[status] * 4)) as server:
        reports = checked(server, "openai", rows(3), tmp_path / "state")
        assert sum(f"HTTP {status}" in str((r.reason, r.findings)) for r in reports) >= 2
        assert "supported" not in {report.verdict for report in reports[1:]}
        assert server.counts["chat"] == 1


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


@pytest.mark.parametrize(("most", "judged"), [(0, 0), (1, 0), (5, 2), (8, 4)])
def test_the_budget_holds_for_all_together(most, judged, tmp_path):
    with BatchServer(ReadingJudge()) as server:
        guard = Guard(engine=engine(server, "openai", tmp_path / "state"), policy=PATIENT)
        reports = list(guard.check_many(rows(4), max_calls=most))
        assert [report.verdict == "unverified" for report in reports] == [n >= judged for n in range(4)]
        assert server.counts["chat"] + sum(server.sizes) <= most


def test_the_budget_of_an_answer_holds(tmp_path):
    with BatchServer(ReadingJudge()) as server:
        one = LLMEngine(
            llm=model(server, "openai"),
            settings=CallSettings(max_calls=1),
            batches=BatchSettings(state=tmp_path / "state", longest_poll=0.01),
        )
        reports = list(Guard(engine=one, policy=PATIENT).check_many(rows(3)))
        assert causes(reports) == [{"budget"}] * 3
        assert server.counts["chat"] + sum(server.sizes) == 3


def test_what_cannot_be_is_refused(tmp_path):
    with BatchServer(ReadingJudge()) as server:
        guard = Guard(engine=engine(server, "openai", tmp_path / "state"), policy=PATIENT)
        with pytest.raises(UsageError, match="seconds cannot bound"):
            guard.check_many(rows(1), seconds=5)
        work = guard.check_many(rows(2))
        next(work)
        with pytest.raises(UsageError, match="at work for other answers"):
            next(guard.check_many(rows(1)))
        other = Guard(engine=engine(server, "openai", tmp_path / "state"), policy=PATIENT)
        with pytest.raises(UsageError, match="another run is at work"):
            next(other.check_many(rows(1)))
        work.close()
        assert guard.check(**rows(1)[0]).verdict == "contradicted"  # alone, by ordinary calls

    class Own:
        model = "m"

        def complete(self, prompt, *, timeout):
            raise NotImplementedError

    with pytest.raises(ConfigurationError, match="no batch endpoint"):
        LLMEngine(llm=Own(), batches=BatchSettings(state=tmp_path / "s"))
    for wrong in ({"wait": 0}, {"longest_poll": -1}, {"retry_share": 2}, {"at_once": 0}):
        with pytest.raises(ConfigurationError):
            BatchSettings(state="s", **wrong)


def others_batch(server, count):
    """A batch of another client under way at the endpoint, that has as many requests."""
    lines = [(f"theirs{n}", {"model": "m", "messages": [], "system": []}) for n in range(count)]
    name = f"batch_{len(server._batches)}"
    made = {"lines": lines, "ours": True, "looks": 0, "ended": False, "metadata": None, "failed": ""}
    server._batches[name] = made
    return name


@pytest.mark.parametrize("fault", [429, 529, 503, "lost"])
def test_somebody_elses_batch_of_the_same_size_is_not_ours(fault, tmp_path):
    with BatchServer(ReadingJudge(), Plan(submits=[fault])) as server:
        theirs = others_batch(server, 3)
        ordinary = server._said

        def said(body, ours):
            return ordinary(body, ours) if body["messages"] else (200, {})

        server._said = said
        told = []
        reports = checked(server, "anthropic", rows(4), tmp_path / "state", tell=told.append)
        assert {report.verdict for report in reports} == {"supported", "contradicted"}
        assert server.sizes == [3, 3, 4]  # theirs, and one of ours for each round
        assert any(theirs in line for line in told) is (fault not in {429, 529})
        assert server.counts["chat"] == 1
    assert not (tmp_path / "state").exists()


def test_a_batch_that_the_state_holds_is_not_taken_for_another(tmp_path):
    from guardrail.engines.llm.batches.sending import Sender
    from guardrail.engines.llm.batches.state import BatchState

    with BatchServer(ReadingJudge(), Plan(stuck=True)) as server:
        service = model(server, "anthropic").batch_service()
        state = BatchState(tmp_path / "state")
        sender = Sender(service, state, BatchSettings(state=tmp_path / "state", longest_poll=0.01))
        line = b'{"custom_id": "%s", "params": {}}'
        first = sender.send({"a": line % b"a"})
        server.plan.submits = [503]
        second = sender.send({"b": line % b"b"})
        assert first.id != second.id
        state.close(remove=False)


def test_an_answer_that_is_done_does_not_change_what_others_of_its_wave_ask(tmp_path):
    """Two answers share a sentence; the first is done while the second is still worked on again."""
    first = {"answer": "The dam is 64 metres high. The repair took eleven weeks.", "passages": PASSAGES}
    second = {"answer": "The dam is 64 metres high. The gate was stuck.", "passages": PASSAGES}
    with BatchServer(ReadingJudge()) as server:
        guard = Guard(engine=engine(server, "openai", tmp_path / "state", at_once=1), policy=PATIENT)
        assert len(list(guard.check_many([first, second]))) == 2
        assert server.sizes == [1, 2]
        assert guard.check(**first).usage.calls == 0  # it is remembered once all are done
