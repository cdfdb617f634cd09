"""A failure of an engine becomes UNVERIFIED; a mistake of the caller is raised."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from concurrent.futures import wait
from dataclasses import dataclass, field
from threading import Event

import pytest

from guardrail import Action, Cause, EngineError, EngineTimeout, Guard, Policy, UsageError, Verdict
from guardrail.check import threads
from guardrail.check.contract import Draft
from guardrail.testing import FakeEngine
from tests.support.checks import ANSWER, PASSAGES, VERDICTS, AsyncFake, check_both, verdicts

pytestmark = pytest.mark.clock


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
    guard = Guard(policy=Policy(deadline=0.2), engine=AsyncFake(FakeEngine(), wait=600.0))
    report = asyncio.run(asyncio.wait_for(guard.acheck(ANSWER, PASSAGES), 120))
    assert verdicts(report) == [Verdict.UNVERIFIED] * 3
    assert "deadline" in report.findings[0].reason


@dataclass(frozen=True)
class Hanging:
    """A sync engine that looks at no deadline; ``end`` lets it go, ``over`` is what it came to the end of."""

    end: Event = field(default_factory=Event)
    over: list[str] = field(default_factory=list)
    at: str = "verify"
    name: str = "hanging"

    def decompose(self, request):
        if self.at == "decompose":
            self.end.wait(600)
            self.over.append("decompose")
        return Draft(parts=request.parts)

    def verify(self, request):
        if self.at == "verify":
            self.end.wait(600)
            self.over.append("verify")
        return FakeEngine(VERDICTS).verify(request)


@pytest.mark.parametrize("at", ["verify", "decompose"])
def test_a_hanging_sync_engine_is_left_behind_at_the_deadline(at):
    """By ``check`` as by ``acheck``: the caller gets UNVERIFIED and the policy's action, not a request without end."""
    engine = Hanging(at=at)
    guard = Guard(policy=Policy.strict().with_(deadline=0.2), engine=engine)
    for report in check_both(guard):
        if at == "verify":
            assert verdicts(report) == [Verdict.UNVERIFIED] * 3
            assert report.findings[0].cause is Cause.TIMEOUT
            assert guard.apply(report).action is Action.BLOCK
        else:
            assert "The rules decomposed" in report.reason
    assert engine.over == []
    engine.end.set()


def test_only_so_many_threads_hang(monkeypatch):
    """An engine that hangs for good takes no more memory with each call; one that answers again is asked again."""
    monkeypatch.setattr(threads, "LEFT_BEHIND", 2)
    engine = Hanging()
    guard = Guard(policy=Policy.strict().with_(deadline=0.1), engine=engine)
    reasons = [guard.check(ANSWER, PASSAGES).findings[0].reason for _ in range(3)]
    assert ["2 earlier calls still hang" in reason for reason in reasons] == [False, False, True]
    left = tuple(threads._left_behind)
    engine.end.set()
    wait(left, timeout=60)
    report = Guard(policy=Policy.strict(), engine=engine).check(ANSWER, PASSAGES)
    assert report.verdict is Verdict.CONTRADICTED


HANGS = """
import asyncio, sys, time
from guardrail import Guard, Policy
class Engine:
    name = "hanging"
    def verify(self, request):
        time.sleep(600)
guard = Guard(policy=Policy.strict().with_(deadline=0.1), engine=Engine())
if sys.argv[1] == "sync":
    print(guard.check("The dam is 64 metres high.", ["A dam."]).verdict)
else:
    print(asyncio.run(guard.acheck("The dam is 64 metres high.", ["A dam."])).verdict)
"""


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_an_engine_that_was_left_behind_does_not_hold_the_exit(kind):
    """A service that is told to stop stops."""
    done = subprocess.run([sys.executable, "-c", HANGS, kind], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "unverified"), done.stderr
