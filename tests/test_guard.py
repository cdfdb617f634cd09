"""The guard: one result sync and async, failures of engines and of our own, time, concurrency."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from guardrail import Action, ConfigurationError, EngineError, Guard, Policy, UsageError, Verdict
from guardrail.testing import FakeEngine
from guardrail.types import Cell, Passage, Span
from tests.support.checks import ANSWER, PASSAGES, VERDICTS, AsyncFake, Warped, check_both, verdicts


def test_check_and_acheck_give_the_same_report():
    """Two drivers, one plan."""
    sync, awaited = check_both(Guard(engine=FakeEngine(VERDICTS)))
    assert replace(sync, seconds=0.0) == replace(awaited, seconds=0.0)
    assert verdicts(sync) == [Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.SUPPORTED]


def test_run_and_arun_deliver_the_same_text():
    """The repaired text does not depend on the driver."""
    guard = Guard(policy=Policy.repair(), engine=FakeEngine(VERDICTS))
    sync, awaited = guard.run(ANSWER, PASSAGES), asyncio.run(guard.arun(ANSWER, PASSAGES))
    assert (sync.text, sync.action, sync.decision) == (awaited.text, awaited.action, awaited.decision)
    assert sync.text == "The dam is 64 metres high. The repair took eleven weeks."
    assert str(sync) == sync.text


def test_sync_check_works_inside_a_running_loop():
    """No hidden event loop is needed, so none can be in the way."""

    async def inside():
        return Guard(engine=FakeEngine(VERDICTS)).check(ANSWER, PASSAGES)

    assert asyncio.run(inside()).verdict is Verdict.CONTRADICTED


def _numbered(number):
    verdict = "supported" if number % 2 else "contradicted"
    return f"Tower number {number} stands in Fennick.", [f"All about tower {number}."], verdict


def test_eight_threads_do_not_cross_answers():
    """A shared guard keeps each thread's answer, passages and verdict together."""
    guard = Guard(engine=FakeEngine({f"number {n} ": _numbered(n)[2] for n in range(64)}, seconds=0.002))
    with ThreadPoolExecutor(8) as pool:
        reports = list(pool.map(lambda n: guard.check(*_numbered(n)[:2]), range(64)))
    for number, report in enumerate(reports):
        answer, passages, verdict = _numbered(number)
        assert (report.answer, report.passages[0].text, report.verdict) == (answer, passages[0], verdict)


def test_eight_tasks_do_not_cross_answers():
    """The same for tasks of one loop."""
    guard = Guard(engine=AsyncFake(FakeEngine({f"number {n} ": _numbered(n)[2] for n in range(8)}), wait=0.01))

    async def together():
        return await asyncio.gather(*(guard.acheck(*_numbered(n)[:2]) for n in range(8)))

    for number, report in enumerate(asyncio.run(together())):
        answer, passages, verdict = _numbered(number)
        assert (report.answer, report.passages[0].text, report.verdict) == (answer, passages[0], verdict)


def test_fail_closed_blocks_what_could_not_be_checked():
    """Zero answers are delivered unchecked."""
    guarded = Guard(policy=Policy(fail="closed"), engine=FakeEngine(default=EngineError("down"))).run(ANSWER, PASSAGES)
    assert (guarded.action, "dam" in guarded.text) == (Action.BLOCK, False)


def test_fail_open_delivers_unchanged_with_a_flag():
    """Zero answers are lost."""
    guarded = Guard(policy=Policy(fail="open"), engine=FakeEngine(default=EngineError("down"))).run(ANSWER, PASSAGES)
    assert (guarded.action, guarded.text) == (Action.FLAG, ANSWER)


def test_cancellation_of_arun_reaches_the_caller():
    """A cancelled task is cancelled, not turned into a verdict."""

    async def cancelled():
        task = asyncio.create_task(Guard(engine=AsyncFake(FakeEngine(), wait=30.0)).arun(ANSWER, PASSAGES))
        await asyncio.sleep(0.05)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


def test_the_demo_case_is_told_right_by_scripted_verdicts():
    """The namesake's medal is found by the pipeline itself: the engine only says what each passage bears out."""
    from guardrail.evaluation.data.demo_case import load_case

    case = load_case()
    answer = case.answers["Who was Dick Hanley?"]

    def borne_out_by_one(rows):
        return [_only(row, 0 if number == 2 else 1) for number, row in enumerate(rows)]

    report = Guard(engine=Warped(borne_out_by_one)).check(answer, case.documents[:2], question="Who was Dick Hanley?")
    assert verdicts(report) == [Verdict.SUPPORTED, Verdict.SUPPORTED, Verdict.UNSUPPORTED]
    assert report.findings[2].error_type == "mixed_entities"
    assert report.findings[2].entity == "Dick Hanley (American football)"
    assert report.findings[2].evidence[0].passage_id == case.documents[0].id
    assert (report.scores.factscore, report.scores.d_factscore) == (1.0, pytest.approx(2 / 3))


def _only(row, passage):
    no = Cell(supported=0.02, contradicted=0.02)
    cells = tuple(
        Cell(supported=0.95, contradicted=0.0, evidence=(Span(0, 40),)) if n == passage else no for n in (0, 1)
    )
    return replace(row, cells=cells, evidence=((passage, Span(0, 40)),))


@pytest.mark.parametrize("engine", ["lokal", 7, object(), None])
def test_an_engine_that_is_none_is_a_configuration_error(engine):
    """The mistake shows when the guard is made, not in production; so does a policy given by name."""
    with pytest.raises(ConfigurationError, match="engine"):
        Guard(engine=engine)
    with pytest.raises(ConfigurationError, match=r"Policy\.load"):
        Guard(policy="strict")


def test_the_linking_is_validated_and_reaches_the_check():
    """A typo is the caller's mistake; the paper's two ways differ where two groups want one entity."""
    with pytest.raises(UsageError, match=r"unknown linking 'hungarain'\. Did you mean 'hungarian'\?"):
        Guard(engine=FakeEngine(), linking="hungarain")
    passages = [
        Passage(id="c", title="Dick Hanley (American football)", text="Dick Hanley coached Northwestern."),
        Passage(id="s", title="Dick Hanley (swimmer)", text="Dick Hanley won silver in Melbourne in the relay."),
    ]
    answer = "Dick Hanley won silver. Another Dick Hanley won silver in Melbourne in the relay."
    titles = {}
    for linking in ("argmax", "hungarian"):
        report = Guard(engine=FakeEngine(), linking=linking).check(answer, passages)
        titles[linking] = [group.entity.title for group in report.groups]
    assert titles["argmax"] == ["Dick Hanley (swimmer)"] * 2
    assert sorted(titles["hungarian"]) == ["Dick Hanley (American football)", "Dick Hanley (swimmer)"]
