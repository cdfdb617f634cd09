"""A failure of an engine becomes UNVERIFIED; a mistake of the caller is raised."""

from __future__ import annotations

import asyncio
import time

import pytest

from guardrail import EngineError, EngineTimeout, Guard, Policy, UsageError, Verdict
from guardrail.testing import FakeEngine
from tests.support.checks import ANSWER, PASSAGES, VERDICTS, AsyncFake, check_both, verdicts


@pytest.mark.parametrize("error", [EngineError("down"), EngineTimeout("late"), RuntimeError("bug"), StopIteration()])
def test_a_raising_engine_leaves_unverified_findings(error):
    """Whatever an engine raises, each segment is UNVERIFIED and the reason names the engine and the error."""
    for report in check_both(Guard(engine=FakeEngine(default=error))):
        assert verdicts(report) == [Verdict.UNVERIFIED] * 3
        assert (report.verdict, report.score) == (Verdict.UNVERIFIED, 0.0)
        assert "'fake' failed" in report.findings[0].reason
        assert type(error).__name__ in report.findings[0].reason or "RuntimeError" in report.findings[0].reason


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
