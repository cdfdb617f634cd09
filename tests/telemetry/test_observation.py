"""Streams that are left early, calls that are cancelled, streams read elsewhere: every span that began ends."""

import asyncio
import contextvars
import gc
import logging
import threading
from dataclasses import replace

import pytest

from guardrail import Guard, Passage, Policy
from guardrail.streaming import Finished
from guardrail.telemetry import evaluated, labels
from guardrail.testing import FakeEngine
from tests.support.live_text import DELTAS, adeltas

pytest.importorskip("opentelemetry.sdk")
trace = pytest.importorskip("opentelemetry.trace")

ANSWER = "The dam was closed in May. It reopened in July because the crack was mended."
PASSAGES = [Passage(id="p1", text="The dam was closed in May. The crack was mended.")]


POLICY = Policy(name="p", actions={"contradicted": "regenerate"}, deadline=None)


class Told:
    """A recorder that keeps what it hears."""

    def __init__(self, heard):
        self.heard = heard

    def record(self, outcome):
        self.heard.append(outcome)


class Waits:
    """An engine that is awaited for ever."""

    name = "waits"

    async def averify(self, request):
        await asyncio.Event().wait()


def abandoned(watched, balance):
    (root,) = watched.spans("guardrail.check")
    assert root.attributes["guardrail.abandoned"] is True
    assert not balance.left()
    assert watched.total("guardrail.answers.active") == watched.total("guardrail.answers") == 0
    assert watched.total("guardrail.streams.abandoned") == 1
    return True


@pytest.mark.parametrize("how", ["closed", "dropped"])
@pytest.mark.parametrize("mode", ["sentence", "observe"])
def test_a_stream_that_is_left_ends_its_span(watched, guard, balance, how, mode):
    stream = guard.stream(DELTAS, PASSAGES, mode=mode)
    next(stream)
    if how == "closed":
        stream.close()
    del stream
    gc.collect()
    assert abandoned(watched, balance)


@pytest.mark.parametrize("how", ["closed", "dropped", "cancelled", "loop ends"])
def test_an_awaited_stream_that_is_left_ends_its_span(watched, guard, balance, how):
    async def waiting():
        for delta in DELTAS[:-1]:
            yield delta
        await asyncio.sleep(30)

    async def leave():
        stream = guard.astream(waiting(), PASSAGES, mode="sentence")
        await anext(stream)
        if how == "closed":
            await stream.aclose()
        elif how == "cancelled":
            await anext(stream)
            more = asyncio.ensure_future(anext(stream))
            await asyncio.sleep(0.05)
            more.cancel()
            with pytest.raises(asyncio.CancelledError):
                await more
        elif how == "dropped":
            del stream
            gc.collect()
        else:
            kept.append(stream)
        for _ in range(500):
            if how != "loop ends" and not watched.spans("guardrail.check"):
                await asyncio.sleep(0.01)

    kept = []
    asyncio.run(leave())
    assert abandoned(watched, balance)


def test_a_stream_that_nobody_reads_is_no_answer(watched, guard, balance):
    stream = guard.stream(DELTAS, PASSAGES)
    del stream
    asyncio.run(_unread(guard))
    assert not watched.spans()
    assert not watched.points("guardrail.answers.active")
    assert not watched.points("guardrail.streams.abandoned")


@pytest.mark.parametrize("mode", ["buffer", "sentence", "observe"])
def test_a_stream_that_is_left_behind_its_end_is_an_answer(watched, guard, mode):
    stream = guard.stream(DELTAS, PASSAGES, mode=mode)
    while not isinstance(next(stream), Finished):
        pass
    stream.close()
    assert watched.total("guardrail.answers") == 1
    assert not watched.points("guardrail.streams.abandoned")


async def _unread(guard):
    await guard.astream(adeltas(), PASSAGES).aclose()


def test_a_stream_that_breaks_ends_its_span(watched, guard, balance):
    def broken():
        yield "The dam was closed in May. "
        raise ConnectionError("the model has gone")

    with pytest.raises(ConnectionError):
        list(guard.stream(broken(), PASSAGES, mode="sentence"))
    (root,) = watched.spans("guardrail.check")
    assert root.attributes["error.type"] == "ConnectionError"
    assert not watched.points("guardrail.streams.abandoned")
    assert not balance.left()
    assert watched.total("guardrail.answers.active") == 0


@pytest.mark.parametrize("after", [0.0, 0.02, 0.1])
def test_cancelled_tasks_leave_nothing_open(watched, balance, after):
    engine = FakeEngine(seconds=0.2)
    guard = Guard(engine=engine, telemetry=watched.settings)

    async def cancel():
        around = trace.get_current_span()
        tasks = [asyncio.ensure_future(guard.arun(ANSWER, PASSAGES)) for _ in range(8)]
        await asyncio.sleep(after)
        for task in tasks:
            task.cancel()
        told = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(one, asyncio.CancelledError) for one in told)
        assert trace.get_current_span() is around
        await asyncio.sleep(0.3)  # what was under way in threads goes on for a moment

    asyncio.run(cancel())
    assert not balance.left()
    assert watched.total("guardrail.answers.active") == watched.total("guardrail.answers") == 0
    roots = watched.spans("guardrail.check")
    assert {root.attributes["error.type"] for root in roots} == {"CancelledError"} if roots else after == 0
    assert all(root.attributes["guardrail.abandoned"] for root in roots)
    assert sum(point.value for point in watched.points("guardrail.streams.abandoned")) == len(roots)


def test_a_cancelled_call_counts_as_abandoned_and_is_recorded(watched):
    """As a stream does whose reader left: a caller with a time limit of its own must be seen in the figures."""
    heard, engine = [], FakeEngine({"reopened": "contradicted"})
    told = Told(heard)
    guard = Guard(engine=engine, policy=POLICY, telemetry=replace(watched.settings, recorder=told))

    async def leave():
        """One while it is checked, one while a new answer is awaited."""
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(replace(guard, engine=Waits()).arun(ANSWER, PASSAGES), 0.3)
        asked = asyncio.Event()

        async def forever(_):
            asked.set()
            await asyncio.Event().wait()

        regenerates = asyncio.create_task(guard.arun(ANSWER, PASSAGES, regenerate=forever))
        await asked.wait()
        regenerates.cancel()
        with pytest.raises(asyncio.CancelledError):
            await regenerates

    asyncio.run(leave())
    assert [outcome.action for outcome in heard] == ["abandoned"] * 2
    assert [outcome.report.verdict.value for outcome in heard] == ["unverified", "contradicted"]
    assert "left before it was checked" in heard[0].report.reason
    points = watched.points("guardrail.streams.abandoned")
    assert [(point.value, point.attributes["mode"]) for point in points] == [(1, "none")] * 2
    assert watched.total("guardrail.answers") == watched.total("guardrail.answers.active") == 0


def test_a_stream_may_be_read_in_another_context_each_time(watched, guard, balance, caplog):
    """As web servers read a sync stream: each piece in a thread and a copied context of its own."""
    events, end = [], object()

    def body():
        with labels(topic="billing"), evaluated(trace.INVALID_SPAN):
            yield from guard.stream(DELTAS, PASSAGES, mode="sentence")

    stream = body()

    def read():
        events.append(context.copy().run(next, stream, end))

    with trace.get_tracer("test", tracer_provider=watched.tracers).start_as_current_span("request") as request:
        context = contextvars.copy_context()

    with caplog.at_level(logging.DEBUG):
        while end not in events:
            thread = threading.Thread(target=read)
            thread.start()
            thread.join()
    assert len(events) > 3
    assert not [line for line in caplog.records if line.levelno >= logging.WARNING]  # OpenTelemetry logs such failures
    assert not balance.left()
    (root,) = watched.spans("guardrail.check")
    assert root.attributes["guardrail.label.topic"] == "billing"
    assert root.parent.span_id == request.get_span_context().span_id
    stages = [span for span in watched.spans() if span.name.startswith("guardrail.") and span is not root]
    assert len(stages) > 3
    assert all(span.parent.span_id == root.context.span_id for span in stages)


def test_a_stream_hangs_under_the_span_in_which_it_was_asked_for(watched, guard):
    with trace.get_tracer("test", tracer_provider=watched.tracers).start_as_current_span("request") as request:
        stream = guard.stream(DELTAS, PASSAGES)
    assert list(stream)
    (root,) = watched.spans("guardrail.check")
    assert root.parent.span_id == request.get_span_context().span_id
