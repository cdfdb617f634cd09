"""An SDK or a recorder that is broken, and labels that are texts: the answers are the same."""

import json
import logging
import sys
import threading
import time

import pytest

from guardrail import Guard, Passage, Policy
from guardrail.errors import UsageError
from guardrail.telemetry import Telemetry, labels
from guardrail.telemetry.labels import Bounds
from guardrail.testing import FakeEngine

pytest.importorskip("opentelemetry.sdk")
trace = pytest.importorskip("opentelemetry.trace")

ANSWER = "The dam was closed in May. It reopened in July because the crack was mended."
PASSAGES = [Passage(id="p1", text="The dam was closed in May. The crack was mended.")]
POLICY = Policy(name="p", actions={"contradicted": "regenerate"}, max_attempts=2)
WRONG = FakeEngine({"because": "contradicted"}, default="supported")


class Broken:
    """Raises whatever it is asked."""

    def __getattr__(self, name):
        def fail(*_, **__):
            raise RuntimeError(f"{name} is broken")

        return fail


class BrokenSpan(trace.NonRecordingSpan):
    def __init__(self):
        super().__init__(trace.INVALID_SPAN_CONTEXT)

    def fail(self, *_, **__):
        raise RuntimeError("the span is broken")

    get_span_context = is_recording = end = set_attributes = set_attribute = add_event = update_name = fail
    set_status = record_exception = fail
    attributes = property(fail)


class Gives:
    """A provider, tracer or meter that gives the same whatever it is asked for."""

    def __init__(self, what):
        self.what = what

    def __getattr__(self, _):
        return lambda *_, **__: self.what


@pytest.mark.parametrize(
    "told",
    [
        {"tracer_provider": Gives(Broken())},
        {"tracer_provider": Gives(Gives(BrokenSpan()))},
        {"tracer_provider": Gives(Gives(None))},
        {"meter_provider": Gives(Gives(Broken()))},
        {"meter_provider": Broken()},
        {"logger_provider": Gives(Broken())},
    ],
    ids=["tracer", "spans", "no spans", "instruments", "meter", "logger"],
)
def test_an_sdk_that_raises_changes_nothing(mended, told):
    heard = []
    recorder = type("Heard", (), {"record": lambda _, outcome: heard.append(outcome)})()
    telemetry = Telemetry(**told, recorder=recorder, capture_content=True, claim_events=True)
    assert mended(telemetry) == mended()
    assert [one.action for one in heard] == ["regenerate"]  # whoever still works is told
    with pytest.raises(UsageError, match="passages"):  # errors of the caller stay what they are
        Guard(telemetry=telemetry).check(ANSWER, 7)


def test_a_broken_span_around_the_check_changes_nothing(mended):
    from opentelemetry import context

    token = context.attach(trace.set_span_in_context(BrokenSpan()))
    try:
        assert mended() == mended(Telemetry(capture_content=True))
    finally:
        context.detach(token)


def test_processors_that_raise_change_nothing(watched, mended):
    from opentelemetry.sdk._logs import LogRecordProcessor
    from opentelemetry.sdk.trace import SpanProcessor

    class Raises(SpanProcessor):
        def on_end(self, span):
            raise RuntimeError("on_end is broken")

    class RaisesToo(LogRecordProcessor):
        def on_emit(self, log_record):
            raise RuntimeError("on_emit is broken")

        def shutdown(self):
            pass

        def force_flush(self, timeout_millis=30_000):
            return True

    watched.tracers.add_span_processor(Raises())
    watched.loggers.add_log_record_processor(RaisesToo())
    assert mended(watched.settings) == mended()
    assert len(watched.spans()) == 16  # the processor before it heard of all
    assert watched.total("guardrail.answers.active") == 0


def test_a_recorder_that_raises_is_heard_of_in_the_log(mended, caplog):
    recorder = type("Full", (), {"record": lambda *_: json.loads("the text of the answer")})()
    with caplog.at_level(logging.WARNING, logger="guardrail"):
        assert mended(Telemetry(recorder=recorder)) == mended()
    assert [line.message for line in caplog.records] == ["the recorder failed: JSONDecodeError"]


def test_a_recorder_that_blocks_is_waited_for_but_its_time_is_not_the_guards(watched, mended, monkeypatch):
    """It must return at once, as its documentation says; a service whose recorder does not sees it here."""
    clock, real, recorded = [0.0], time.perf_counter, []
    monkeypatch.setattr(time, "perf_counter", lambda: real() + clock[0])

    class Slow:
        def record(self, outcome):
            clock[0] += 1000.0
            recorded.append(outcome)

    assert mended(watched.set_up(recorder=Slow())) == mended()
    assert len(recorded) == 1
    (whole,) = watched.points("guardrail.check.duration")
    assert whole.sum < 1000.0  # by a clock that the recorder has moved on


def test_an_sdk_that_is_shut_down_changes_nothing(watched, mended):
    expected, seen, ready = mended(), [], threading.Barrier(5)

    def serve():
        ready.wait()
        seen.extend(mended(watched.settings) for _ in range(10))

    threads = [threading.Thread(target=serve) for _ in range(4)]
    for thread in threads:
        thread.start()
    ready.wait()
    for provider in (watched.tracers, watched.loggers, watched.meters):
        provider.shutdown()
    for thread in threads:
        thread.join()
    assert seen == [expected] * 40


def test_a_question_as_topic_costs_no_series(watched, monkeypatch):
    monkeypatch.setattr("guardrail.telemetry.observation.BOUNDS", Bounds())
    guard = Guard(policy=POLICY, engine=WRONG, telemetry=watched.settings)
    report = guard.check(ANSWER, PASSAGES)
    for number in range(400):
        with labels(topic=f"Why is the sky blue on day {number}?"):
            guard.apply(report)
    topics = [p.attributes["topic"] for p in watched.points("guardrail.decisions") if "topic" in p.attributes]
    assert len(topics) == len(set(topics)) == 101
    assert watched.total("guardrail.decisions", topic="other") == 300


def test_ten_thousand_topics_at_once_are_bounded_too():
    class Topic(str):  # which lets other threads run wherever it is looked at
        __slots__ = ()

        def __hash__(self):
            time.sleep(0)
            return super().__hash__()

    bounds, ready, kept = Bounds(), threading.Barrier(16), set()

    def ask(thread):
        ready.wait()
        kept.update(bounds.bound("topic", Topic(f"{thread}.{number}")) for number in range(625))

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(16)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert len(kept) == 101
