"""Work in threads of its own, with progress and an end."""

from __future__ import annotations

import threading
import time

import pytest

from guardrail.errors import UsageError
from guardrail.service.studio.recorded.jobs import KEPT, RUNNING, Job, Jobs


def test_jobs_are_few_and_the_oldest_result_makes_room():
    jobs, go = Jobs(), threading.Event()
    running = [jobs.start("", lambda _: go.wait(60)) for _ in range(RUNNING)]
    with pytest.raises(UsageError, match="Stop one"):
        jobs.start("", lambda _: None)
    go.set()
    while any(job.state == "running" for job in running):  # only what has ended makes room
        time.sleep(0.001)
    later = []
    while len(later) < KEPT:
        try:
            later.append(jobs.start("", lambda _: None))
        except UsageError:
            continue
    assert jobs.get(running[0].id) is None
    assert jobs.get(later[-1].id) is later[-1]


def test_a_job_that_fails_says_why_but_not_what_was_in_the_texts(caplog):
    def refuse(_):
        raise UsageError("no such thing")

    def break_(_):
        raise RuntimeError("secret text")

    known, unknown = Job(None), Job(None)
    known.run(refuse)
    unknown.run(break_)
    assert (known.state, known.error) == ("failed", "no such thing")
    assert unknown.state == "failed"
    assert "secret" not in unknown.error
