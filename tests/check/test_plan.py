"""The stages of a check: their order, their ends, and one call of the engine."""

from __future__ import annotations

import asyncio
import threading

import pytest

import guardrail.check.plan
from guardrail import Guard, Policy, Verdict
from guardrail.testing import FakeEngine
from tests.support.checks import ANSWER, PASSAGES, verdicts


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
