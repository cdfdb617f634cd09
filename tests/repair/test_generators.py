"""Who writes new answers, and what is made of what they write."""

from __future__ import annotations

import asyncio
import threading

import pytest

from guardrail import Action, ConfigurationError, Guard, Policy
from guardrail.repair.feedback import Feedback
from guardrail.testing import FakeEngine

PASSAGES = ["The dam is 64 metres high.", "It was opened in 1963."]
VERDICTS = {"Halloway": "contradicted", "mayor": "unsupported", "queen": "unverified"}
RIGHT = "The dam is 64 metres high."
WRONG = "The dam is 64 metres high. Rita Halloway built it."
REGENERATE = Policy(
    actions={"contradicted": "regenerate", "unsupported": "regenerate"}, on_exhausted="redact", max_attempts=3
)
REWRITE = REGENERATE.with_(actions={"contradicted": "rewrite", "unsupported": "rewrite"})


def guard(policy=REGENERATE, **more):
    return Guard(policy=policy, engine=FakeEngine(VERDICTS), **more)


class Says:
    """A generator that gives these replies in turn, and keeps what it was told."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.told: list[Feedback] = []
        self.threads: list[threading.Thread] = []

    def __call__(self, feedback):
        self.told.append(feedback)
        self.threads.append(threading.current_thread())
        reply = self.replies.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        return reply

    def rewrite(self, feedback):
        return self(feedback)


class Awaited(Says):
    """The same as an object whose call is awaited."""

    async def __call__(self, feedback):
        await asyncio.sleep(0)
        return super().__call__(feedback)

    async def arewrite(self, feedback):
        await asyncio.sleep(0)
        return Says.__call__(self, feedback)

    rewrite = None


def in_time(work):
    """A reply that never comes fails the test instead of stopping it."""
    return asyncio.run(asyncio.wait_for(work, 20.0))


def run_sync(says, **more):
    return guard(**more).run(WRONG, PASSAGES, regenerate=says)


def run_async_with_sync(says, **more):
    return in_time(guard(**more).arun(WRONG, PASSAGES, regenerate=says))


# --- rewriting -------------------------------------------------------------------------------------------------------


def test_a_rewrite_uses_the_local_rewriter_by_default():
    guarded = guard(REWRITE).run(WRONG, PASSAGES)
    assert (guarded.text, guarded.action, guarded.attempts, guarded.exhausted) == (RIGHT, Action.ALLOW, 2, False)
    assert asyncio.run(guard(REWRITE).arun(WRONG, PASSAGES)).text == RIGHT


def test_a_rewriter_may_be_awaited_only():
    guarded = asyncio.run(guard(REWRITE, rewriter=Awaited(RIGHT)).arun(WRONG, PASSAGES))
    assert guarded.text == RIGHT


def test_what_a_rewriter_writes_is_believed_as_little_as_any_answer():
    guarded = guard(REWRITE.with_(max_attempts=2), rewriter=Says("Rita Halloway owns it.")).run(WRONG, PASSAGES)
    assert (guarded.exhausted, guarded.text) == (True, RIGHT)


@pytest.mark.parametrize("rewriter", [object(), "local", 3])
def test_a_rewriter_that_is_none_is_refused(rewriter):
    with pytest.raises(ConfigurationError, match="rewriter must have"):
        guard(rewriter=rewriter)


# --- threads, tasks, cancelling --------------------------------------------------------------------------------------


def test_sync_generators_work_in_a_thread_while_the_loop_goes_on():
    says = Says(RIGHT)
    run_async_with_sync(says)
    assert says.threads[0] is not threading.main_thread()
    again = Says(RIGHT)
    run_sync(again)
    assert again.threads[0] is threading.main_thread()
