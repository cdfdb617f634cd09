"""One guard for all threads and tasks: each answer has its own spans and counts, and leaves nothing behind."""

import asyncio
import threading
from collections import Counter

import pytest

from guardrail import Guard, Passage
from guardrail.telemetry import active, labels
from guardrail.testing import FakeEngine
from tests.support.live_text import DELTAS, adeltas

pytest.importorskip("opentelemetry.sdk")
trace = pytest.importorskip("opentelemetry.trace")

RIGHT = "The dam was closed in May."
ANSWER = f"{RIGHT} It reopened in July because the crack was mended."
PASSAGES = [Passage(id="p1", text="The dam was closed in May. The crack was mended.")]
STAGES = ("decompose", "group", "verify", "link", "logic", "judge")


class Calls:
    """What is asked of one guard: by name, a call in this thread and one that is awaited.

    The generators use a guard themselves, of other telemetry settings, as a chain of several guarded steps does.
    """

    def __init__(self, guard, watched):
        self.guard = guard
        self.inner = Guard(engine=FakeEngine(), telemetry=watched.set_up(labels={"application": "inner"}))
        self.names = ("run", "check", "mended", "buffer", "sentence", "closed")

    def again(self, _):
        return self.inner.run(RIGHT, PASSAGES).text

    async def aagain(self, _):
        return (await self.inner.arun(RIGHT, PASSAGES)).text

    def call(self, name):
        if name == "run":
            self.guard.run(RIGHT, PASSAGES)
        elif name == "check":
            self.guard.check(ANSWER, PASSAGES)
        elif name == "mended":
            assert self.guard.run(ANSWER, PASSAGES, regenerate=self.again).text == RIGHT
        elif name == "closed":
            stream = self.guard.stream(DELTAS, PASSAGES, mode="sentence")
            next(stream)
            stream.close()
        else:
            for _ in self.guard.stream(DELTAS, PASSAGES, mode=name, regenerate=self.again):
                pass

    async def acall(self, name):
        if name == "run":
            await self.guard.arun(RIGHT, PASSAGES)
        elif name == "check":
            await self.guard.acheck(ANSWER, PASSAGES)
        elif name == "mended":
            assert (await self.guard.arun(ANSWER, PASSAGES, regenerate=self.aagain)).text == RIGHT
        elif name == "closed":
            stream = self.guard.astream(adeltas(), PASSAGES, mode="sentence")
            await anext(stream)
            await stream.aclose()
        else:
            async for _ in self.guard.astream(adeltas(), PASSAGES, mode=name, regenerate=self.aagain):
                pass


def trees(watched):
    """By name of the span around a call: how its spans hang together, once per call."""
    below, roots = {}, []
    for span in watched.spans():
        if span.parent is None:
            roots.append(span)
        else:
            assert span.parent.trace_id == span.context.trace_id
            below.setdefault(span.parent.span_id, []).append(span)

    def shape(span):
        children = sorted(below.get(span.context.span_id, ()), key=lambda s: s.start_time)
        return (span.name, tuple(shape(child) for child in children))

    found = {}
    for root in roots:
        found.setdefault(root.name, []).append(shape(root)[1])
    return found


def counts(watched):
    """All counters, by name and labels, as one call each makes them."""
    names = ("guardrail.answers", "guardrail.claims", "guardrail.answers.repaired", "guardrail.repair.attempts")
    return {
        (name, *sorted(point.attributes.items())): point.value
        for name in names
        for point in watched.points(name)
        if point.value
    }


def alone(calls, watched, balance):
    """The trees and counts of one call of each name, one after the other: what all others must be equal to."""
    for name in calls.names:
        with trace.get_tracer("test", tracer_provider=watched.tracers).start_as_current_span(name):
            calls.call(name)
    assert not balance.left()
    return trees(watched), counts(watched)


def test_what_the_calls_look_like(watched, guard, balance):
    """The measure of the tests below."""
    found, _ = alone(Calls(guard, watched), watched, balance)
    verify = ("guardrail.verify", (("engine", ()),))
    stages = tuple(verify if name == "verify" else (f"guardrail.{name}", ()) for name in STAGES)
    decide = ("guardrail.decide", ())
    assert found["run"] == [(("guardrail.check", (*stages, decide)),)]
    assert found["check"] == [(("guardrail.check", stages),)]
    plain = tuple((f"guardrail.{name}", ()) for name in STAGES)
    inner = ("guardrail.check", (*plain, decide))  # an answer of its own, where it was asked for
    for name in ("mended", "buffer"):
        ((mended,),) = found[name]
        assert ("guardrail.regenerate", (inner,)) in mended[1], name
        assert ("guardrail.recheck", stages) in mended[1], name
    for name, pieces in (("sentence", 3), ("closed", 1)):
        ((streamed,),) = found[name]
        assert streamed[0] == "guardrail.check"
        assert streamed[1].count(verify) == pieces, name


def compared(watched, balance, calls, times, work):
    """That ``times`` calls of each name at once are what one call is, so often."""
    single, counted = alone(calls, watched, balance)
    for key in single:
        assert len(single[key]) == 1
    work()
    assert not balance.left()
    for name, shapes in trees(watched).items():
        assert Counter(shapes) == {single[name][0]: times + 1}, name
    assert counts(watched) == {key: value * (times + 1) for key, value in counted.items()}
    assert watched.total("guardrail.answers.active") == 0
    assert watched.count("guardrail.check.duration") == counted_answers(counted) * (times + 1)


def counted_answers(counted):
    return sum(value for (name, *_), value in counted.items() if name == "guardrail.answers")


def test_threads_at_once(watched, guard, balance):
    calls, ready, failed = Calls(guard, watched), threading.Barrier(16), []
    tracer = trace.get_tracer("test", tracer_provider=watched.tracers)

    def serve(thread):
        try:
            ready.wait()
            for turn in range(len(calls.names)):
                name = calls.names[(thread + turn) % len(calls.names)]
                with tracer.start_as_current_span(name) as around:
                    calls.call(name)
                    assert trace.get_current_span() is around
                assert active() is None
            assert not trace.get_current_span().get_span_context().is_valid
        except BaseException as error:
            failed.append(error)
            raise

    def work():
        threads = [threading.Thread(target=serve, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed

    compared(watched, balance, calls, 16, work)


def test_tasks_at_once(watched, guard, balance):
    calls = Calls(guard, watched)
    tracer = trace.get_tracer("test", tracer_provider=watched.tracers)

    async def serve(name):
        with tracer.start_as_current_span(name) as around:
            await calls.acall(name)
            assert trace.get_current_span() is around
            assert active() is None

    async def all_at_once():
        await asyncio.gather(*(serve(calls.names[n % len(calls.names)]) for n in range(66)))
        assert not trace.get_current_span().get_span_context().is_valid

    compared(watched, balance, calls, 11, lambda: asyncio.run(all_at_once()))


def test_a_stream_is_current_only_while_the_guard_works(watched, guard):
    """Between two events the reader's own spans are not the guard's."""
    with trace.get_tracer("test", tracer_provider=watched.tracers).start_as_current_span("reader") as around:
        for _ in guard.stream(DELTAS, PASSAGES, mode="sentence"):
            assert trace.get_current_span() is around
            assert active() is None

        async def read():
            async for _ in guard.astream(adeltas(), PASSAGES, mode="sentence"):
                assert trace.get_current_span() is around
                assert active() is None

        asyncio.run(read())


def test_labels_of_one_task_are_not_anothers(watched, guard):
    async def ask(topic):
        with labels(topic=topic):
            await asyncio.sleep(0)
            await guard.arun(RIGHT, PASSAGES)

    async def all_at_once():
        await asyncio.gather(*(ask(f"topic {number % 8}") for number in range(64)))
        await guard.arun(RIGHT, PASSAGES)

    asyncio.run(all_at_once())
    told = {point.attributes.get("topic"): point.value for point in watched.points("guardrail.answers")}
    assert told == {None: 1, **{f"topic {number}": 8 for number in range(8)}}
