"""One guard for all threads and tasks: each answer has its own spans and counts, and leaves nothing behind."""

import asyncio
import contextvars
import gc
import logging
import threading
from collections import Counter

import pytest

from guardrail import Guard, Passage, Policy
from guardrail.telemetry import active, evaluated, labels
from guardrail.testing import FakeEngine

pytest.importorskip("opentelemetry.sdk")
trace = pytest.importorskip("opentelemetry.trace")

RIGHT = "The dam was closed in May."
ANSWER = f"{RIGHT} It reopened in July because the crack was mended."
DELTAS = ("The dam was closed ", "in May. The crack was ", "mended. It reopened in July ", "because of the crack.")
PASSAGES = [Passage(id="p1", text="The dam was closed in May. The crack was mended.")]
POLICY = Policy(name="p", actions={"contradicted": "regenerate"}, max_attempts=2)
STAGES = ("decompose", "group", "verify", "link", "logic", "judge")


class Balance:
    """Spans that have begun and not ended."""

    def __init__(self):
        self.open = Counter()

    def on_start(self, span, parent_context=None):
        self.open[span.get_span_context().span_id, span.name] += 1

    def on_end(self, span):
        self.open[span.get_span_context().span_id, span.name] -= 1

    def _on_ending(self, span):
        pass

    def shutdown(self):
        pass

    def force_flush(self, timeout_millis=0):
        return True

    def left(self):
        return [name for (_, name), number in self.open.items() if number]


@pytest.fixture
def balance(watched):
    balance = Balance()
    watched.tracers.add_span_processor(balance)
    return balance


class Telling:
    """An engine with a span of its own, in whatever thread it works."""

    name = "telling"

    def __init__(self, tracers):
        self._tracer = trace.get_tracer("test", tracer_provider=tracers)
        self._engine = FakeEngine({"because": "contradicted"}, default="supported")

    def verify(self, request):
        with self._tracer.start_as_current_span("engine"):
            return self._engine.verify(request)


@pytest.fixture
def guard(watched):
    return Guard(policy=POLICY, engine=Telling(watched.tracers), telemetry=watched.settings)


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


async def adeltas():
    for delta in DELTAS:
        yield delta
        await asyncio.sleep(0)


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


def abandoned(watched, balance):
    (root,) = watched.spans("guardrail.check")
    assert root.attributes["guardrail.abandoned"] is True
    assert not balance.left()
    assert watched.total("guardrail.answers.active") == watched.total("guardrail.answers") == 0
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


def test_a_stage_that_a_thread_enters_late_is_closed_too(watched, balance):
    """A cancelled call does not wait for its thread, which may be about to enter the next stage."""
    from guardrail.telemetry import Stages, observed

    class Cancels:
        """Ends the stages while one is being entered."""

        def on_start(self, span, parent_context=None):
            if span.name == "guardrail.verify":
                stages.end()

        def _on_ending(self, span):
            pass

        def on_end(self, span):
            pass

        shutdown = force_flush = lambda *_: True

    watched.tracers.add_span_processor(Cancels())
    with observed(watched.settings, "p", "fake"):
        stages = Stages()
        stages.enter("decompose")
        stages.enter("verify")
        assert not [name for name in balance.left() if name != "guardrail.check"]
        stages.enter("link")
    assert [span.name for span in watched.spans()] == ["guardrail.decompose", "guardrail.verify", "guardrail.check"]
    assert not balance.left()


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
