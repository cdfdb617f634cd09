"""Who writes new answers, and what is made of what they write."""

from __future__ import annotations

import asyncio
import threading

import pytest

from guardrail import Action, ConfigurationError
from tests.support.repairs import (
    PASSAGES,
    REWRITE,
    RIGHT,
    WRONG,
    Awaited,
    Says,
    guard,
    run_async_with_sync,
    run_sync,
)

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
