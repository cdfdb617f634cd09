"""The guard: one result sync and async, failures of engines and of our own, time, concurrency."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pytest

import guardrail.check.plan
from guardrail import Action, ConfigurationError, EngineError, EngineTimeout, Guard, Policy, UsageError, Verdict
from guardrail.testing import FakeEngine
from guardrail.types import Cell, Passage, Row, Span, SupportMatrix

ANSWER = "The dam is 64 metres high. It was built by Rita Halloway. The repair took eleven weeks."
PASSAGES = ["The dam is 64 metres high.", "The repair took eleven weeks."]
VERDICTS = {"Halloway": "contradicted"}


@dataclass(frozen=True)
class AsyncFake:
    """An engine that can only be awaited."""

    inner: FakeEngine
    wait: float = 0.0
    name: str = "async-fake"

    async def averify(self, request):
        await asyncio.sleep(self.wait)
        return self.inner.verify(request)


@dataclass(frozen=True)
class Warped:
    """An engine whose honest reply is spoilt by ``spoil``."""

    spoil: object
    name: str = "warped"

    def verify(self, request):
        return SupportMatrix(rows=tuple(self.spoil(FakeEngine().verify(request).rows)))


def check_both(guard, answer=ANSWER, passages=PASSAGES):
    """Sync and async report."""
    return guard.check(answer, passages), asyncio.run(guard.acheck(answer, passages))


def verdicts(report):
    return [finding.verdict for finding in report.findings]


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


@pytest.mark.parametrize("error", [EngineError("down"), EngineTimeout("late"), RuntimeError("bug"), StopIteration()])
def test_a_raising_engine_leaves_unverified_findings(error):
    """Whatever an engine raises, each segment is UNVERIFIED and the reason names the engine and the error."""
    for report in check_both(Guard(engine=FakeEngine(default=error))):
        assert verdicts(report) == [Verdict.UNVERIFIED] * 3
        assert (report.verdict, report.score) == (Verdict.UNVERIFIED, 0.0)
        assert "'fake' failed" in report.findings[0].reason
        assert type(error).__name__ in report.findings[0].reason or "RuntimeError" in report.findings[0].reason


def test_fail_closed_blocks_what_could_not_be_checked():
    """Zero answers are delivered unchecked."""
    guarded = Guard(policy=Policy(fail="closed"), engine=FakeEngine(default=EngineError("down"))).run(ANSWER, PASSAGES)
    assert (guarded.action, "dam" in guarded.text) == (Action.BLOCK, False)


def test_fail_open_delivers_unchanged_with_a_flag():
    """Zero answers are lost."""
    guarded = Guard(policy=Policy(fail="open"), engine=FakeEngine(default=EngineError("down"))).run(ANSWER, PASSAGES)
    assert (guarded.action, guarded.text) == (Action.FLAG, ANSWER)


def test_an_engine_may_refuse_what_the_caller_asked_for():
    """UsageError of an engine is the caller's to mend, so it is raised."""
    guard = Guard(engine=FakeEngine(default=UsageError("no such model")))
    with pytest.raises(UsageError, match="no such model"):
        guard.check(ANSWER, PASSAGES)
    with pytest.raises(UsageError, match="no such model"):
        asyncio.run(guard.acheck(ANSWER, PASSAGES))


def test_async_only_engine_under_check_is_a_usage_error():
    """The message says what to call instead."""
    with pytest.raises(UsageError, match=r"'async-fake' is async only.*acheck"):
        Guard(engine=AsyncFake(FakeEngine())).check(ANSWER, PASSAGES)


def test_async_only_engine_works_under_acheck():
    """It is awaited, not run in a thread."""
    report = asyncio.run(Guard(engine=AsyncFake(FakeEngine(VERDICTS))).acheck(ANSWER, PASSAGES))
    assert report.verdict is Verdict.CONTRADICTED


def test_a_hanging_async_engine_is_given_up_at_the_deadline():
    """The caller gets UNVERIFIED when the policy's time is over, not when the engine wakes up."""
    guard = Guard(policy=Policy(deadline=0.2), engine=AsyncFake(FakeEngine(), wait=30.0))
    started = time.monotonic()
    report = asyncio.run(guard.acheck(ANSWER, PASSAGES))
    assert time.monotonic() - started < 5.0
    assert verdicts(report) == [Verdict.UNVERIFIED] * 3
    assert "deadline" in report.findings[0].reason


WARPED = {
    "missing": (lambda rows: rows[:-1], 2, "no verdict"),
    "doubled": (lambda rows: [*rows, rows[2]], 2, "2 verdicts"),
    "cells": (lambda rows: [*rows[:2], replace(rows[2], cells=rows[2].cells[:1])], 2, "1 passages of 2"),
    "nan": (lambda rows: [*rows[:2], replace(rows[2], supported=float("nan"))], 2, "outside 0..1"),
    "nan cell": (
        lambda rows: [*rows[:2], replace(rows[2], cells=(Cell(supported=float("nan"), contradicted=0.0), None))],
        2,
        "outside 0..1",
    ),
    "above one": (lambda rows: [*rows[:2], replace(rows[2], contradicted=1.5)], 2, "outside 0..1"),
    "passage 9": (lambda rows: [*rows[:2], replace(rows[2], evidence=((9, Span(0, 1)),))], 2, "not in the passages"),
    "span": (lambda rows: [*rows[:2], replace(rows[2], evidence=((0, Span(5, 9999)),))], 2, "not in the passages"),
    "surplus": (lambda rows: [*rows, Row(segment_id="s99", cells=rows[0].cells, supported=1.0)], 0, "'s99'"),
    "no matrix": (lambda _: 1 / 0, 0, "ZeroDivisionError"),
}


@pytest.mark.parametrize(("spoil", "good", "why"), WARPED.values(), ids=WARPED)
def test_a_warped_reply_is_unverified_and_never_supported(spoil, good, why):
    """Rows in order are kept up to the spoilt one; that one is UNVERIFIED and says why."""
    for report in check_both(Guard(engine=Warped(spoil))):
        assert verdicts(report) == [Verdict.SUPPORTED] * good + [Verdict.UNVERIFIED] * (3 - good)
        assert report.verdict is Verdict.UNVERIFIED
        assert why in report.findings[-1].reason


def test_rows_in_another_order_are_matched_by_id():
    """An engine that answers out of order is not mixed up."""
    guard = Guard(engine=Warped(lambda rows: [replace(rows[0], supported=0.0), *rows[1:]][::-1]))
    assert verdicts(guard.check(ANSWER, PASSAGES)) == [Verdict.UNSUPPORTED, Verdict.SUPPORTED, Verdict.SUPPORTED]


def test_cancellation_of_arun_reaches_the_caller():
    """A cancelled task is cancelled, not turned into a verdict."""

    async def cancelled():
        task = asyncio.create_task(Guard(engine=AsyncFake(FakeEngine(), wait=30.0)).arun(ANSWER, PASSAGES))
        await asyncio.sleep(0.05)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


def test_cancellation_while_a_stage_works_in_its_thread(monkeypatch):
    """The plan cannot be closed while it runs; the cancellation must come through all the same."""
    started, release = threading.Event(), threading.Event()
    real = guardrail.check.plan.decompose

    def slow(*args, **kwargs):
        started.set()
        release.wait(10)
        return real(*args, **kwargs)

    monkeypatch.setattr(guardrail.check.plan, "decompose", slow)

    async def cancelled():
        task = asyncio.create_task(Guard(engine=FakeEngine()).acheck(ANSWER, PASSAGES))
        await asyncio.to_thread(started.wait, 10)
        task.cancel()
        try:
            await task
        finally:
            release.set()

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


def test_a_bug_of_ours_becomes_one_unverified_finding(monkeypatch):
    """The service stays up, and a strict policy blocks."""

    def broken(*_, **__):
        raise KeyError("oops")

    monkeypatch.setattr(guardrail.check.plan, "decompose", broken)
    for report in check_both(Guard(engine=FakeEngine())):
        [finding] = report.findings
        assert (finding.verdict, finding.text, finding.span) == (Verdict.UNVERIFIED, ANSWER, (0, len(ANSWER)))
        assert "the guard failed: KeyError" in finding.reason
    assert Guard(policy=Policy.strict(), engine=FakeEngine()).run(ANSWER, PASSAGES).action is Action.BLOCK


def test_time_that_is_already_over_is_unverified():
    """The local engine does not start to read, and says so."""
    report = Guard(policy=Policy(deadline=1e-9)).check(ANSWER, PASSAGES)
    assert verdicts(report) == [Verdict.UNVERIFIED] * 3
    assert "deadline" in report.findings[0].reason


def test_no_deadline_gives_the_engine_no_limit():
    """``deadline=None`` reaches the engine as None."""
    Guard(policy=Policy(deadline=None), engine=(engine := FakeEngine())).check(ANSWER, PASSAGES)
    assert engine.calls[0].deadline is None


def test_one_check_is_one_call_of_the_engine():
    """All scores are reductions of one matrix."""
    engine = FakeEngine()
    report = Guard(engine=engine).check(ANSWER, PASSAGES, question="How high is the dam?")
    assert len(engine.calls) == 1
    assert [s.text for s in engine.calls[0].segments] == [f.claim for f in report.findings]
    assert engine.calls[0].question == "How high is the dam?"


def test_the_demo_case_is_told_right_by_scripted_verdicts():
    """The namesake's medal is found by the pipeline itself: the engine only says what each passage bears out."""
    from guardrail.cli.demo import load_case

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


def test_an_answer_that_declines_among_namesakes_is_no_biography():
    """D-FActScore's fourth category; without namesakes there is none."""
    passages = [
        Passage(id="c", title="Dick Hanley (American football)", text="Dick Hanley coached."),
        Passage(id="s", title="Dick Hanley (swimmer)", text="Dick Hanley swam."),
    ]
    guard = Guard(engine=FakeEngine())
    assert guard.check("I do not know.", passages).scores.category == "no_bio"
    assert guard.check("I do not know.", ["The dam is high."]).scores.category is None
