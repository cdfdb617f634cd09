"""Whatever becomes of spans, metrics, events and records: the answers are the same, and as fast."""

import gc
import json
import logging
import os
import statistics
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from guardrail import Guard, Passage, Policy
from guardrail.errors import UsageError
from guardrail.telemetry import Telemetry, labels
from guardrail.telemetry.labels import Bounds
from guardrail.testing import FakeEngine

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
trace = pytest.importorskip("opentelemetry.trace")

ANSWER = "The dam was closed in May. It reopened in July because the crack was mended."
PASSAGES = [Passage(id="p1", text="The dam was closed in May. The crack was mended.")]
POLICY = Policy(name="p", actions={"contradicted": "regenerate"}, max_attempts=2)
WRONG = FakeEngine({"because": "contradicted"}, default="supported")
SPANS = 17
"""Of one answer that is mended once."""


def mended(telemetry=None):
    """One answer that is regenerated, as text: all that must stay the same. Two checks with all their stages."""
    settings = {} if telemetry is None else {"telemetry": telemetry}
    guarded = Guard(policy=POLICY, engine=WRONG, **settings).run(
        ANSWER, PASSAGES, regenerate=lambda _: "The dam was closed in May."
    )
    return (guarded.text, guarded.action, guarded.attempts, guarded.report.verdict, guarded.original.verdict)


# A collector, in each of its moods.


class Collector(ThreadingHTTPServer):
    """Does to every request what its mood says; ``hangs``: answers nothing before ``released``."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, mood):
        self.mood, self.released, self.requests = mood, threading.Event(), []
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, *_):
        """Clients that give up are what is tested here."""


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.requests.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        mood = self.server.mood
        if mood == "hangs":
            self.server.released.wait(60)
        if mood == "garbage":
            self.wfile.write(b"\x00\xff no http at all\r\n\r\n" * 20)
        elif mood != "hangs up":
            self.send_response({"500": 500, "400": 400}.get(mood, 200))
            self.send_header("Content-Length", "3")
            self.end_headers()
            self.wfile.write(b"\xff\xfe\x00")
        self.close_connection = True

    def log_message(self, *_):
        pass


@contextmanager
def collecting(mood):
    server = Collector(mood)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def exporting(endpoint, *, timeout=0.3, queue=2048):
    """Telemetry through the SDK's own processors and OTLP/HTTP exporters; ``timeout`` None = the default, 10 s."""
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    sizes = {"max_queue_size": queue, "max_export_batch_size": min(queue, 512) // 2, "schedule_delay_millis": 50}
    spans, logs = OTLPSpanExporter(f"{endpoint}/v1/traces", timeout=timeout), OTLPLogExporter(
        f"{endpoint}/v1/logs", timeout=timeout
    )  # fmt: skip
    tracers, loggers = TracerProvider(shutdown_on_exit=False), LoggerProvider(shutdown_on_exit=False)
    tracers.add_span_processor(BatchSpanProcessor(spans, **sizes))
    loggers.add_log_record_processor(BatchLogRecordProcessor(logs, **sizes))
    reader = PeriodicExportingMetricReader(
        OTLPMetricExporter(f"{endpoint}/v1/metrics", timeout=timeout), export_interval_millis=50
    )
    meters = MeterProvider([reader], shutdown_on_exit=False)
    try:
        yield Telemetry(tracer_provider=tracers, meter_provider=meters, logger_provider=loggers)
    finally:
        for provider in (tracers, loggers, meters):
            provider.shutdown()


@pytest.mark.parametrize("mood", ["refuses", "500", "400", "garbage", "hangs up", "hangs"])
def test_a_broken_collector_changes_no_decision(mood):
    expected = mended()
    with collecting("refuses" if mood == "refuses" else mood) as (server, endpoint):
        if mood == "refuses":
            server.server_close()
        with exporting(endpoint) as telemetry:
            assert [mended(telemetry) for _ in range(5)] == [expected] * 5
            until = time.monotonic() + 5
            while mood != "refuses" and not server.requests and time.monotonic() < until:
                time.sleep(0.01)
        assert mood == "refuses" or server.requests  # it was asked indeed


def test_a_hanging_collector_adds_no_latency_and_no_memory():
    """With the exporters' default timeout of 10 s, of which no check may see anything."""
    from opentelemetry.sdk.trace import ReadableSpan

    bare, told = [], []
    with collecting("hangs") as (server, endpoint), exporting(endpoint, timeout=None, queue=100) as telemetry:
        until = time.monotonic() + 10
        while len({path for path, _ in server.requests}) < 3 and time.monotonic() < until:
            mended(telemetry)
        assert len({path for path, _ in server.requests}) == 3  # all three exporters hang from here on
        for _ in range(60):
            for settings, taken in ((None, bare), (telemetry, told)):
                started = time.perf_counter()
                mended(settings)
                taken.append(time.perf_counter() - started)
        own = telemetry.tracer_provider.resource  # spans of other tests may be about
        spans = sum(isinstance(thing, ReadableSpan) and thing.resource is own for thing in gc.get_objects())
        server.mood = "answers"
        server.released.set()
    assert statistics.median(told) - statistics.median(bare) < 0.02
    assert statistics.quantiles(told, n=20)[-1] - statistics.quantiles(bare, n=20)[-1] < 0.1
    assert max(told) < 2.0
    assert 100 <= spans < 200 < 60 * SPANS  # the queue and the batch that hangs, not all that there were


def test_an_exporter_in_the_way_is_felt():
    """SimpleSpanProcessor exports where the span ends: the documentation says to use a batch."""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExporter, SpanExportResult

    class Slow(SpanExporter):
        def export(self, _):
            time.sleep(0.01)
            return SpanExportResult.SUCCESS

    def seconds(processor):
        tracers = TracerProvider(shutdown_on_exit=False)
        tracers.add_span_processor(processor)
        started = time.perf_counter()
        assert mended(Telemetry(tracer_provider=tracers)) == mended()
        taken = time.perf_counter() - started
        tracers.shutdown()
        return taken

    assert seconds(SimpleSpanProcessor(Slow())) > SPANS * 0.01
    assert min(seconds(BatchSpanProcessor(Slow())) for _ in range(3)) < SPANS * 0.01


# An SDK that raises.


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
        {"logger_provider": Gives(Broken())},
    ],
    ids=["tracer", "spans", "no spans", "instruments", "logger"],
)
def test_an_sdk_that_raises_changes_nothing(told):
    heard = []
    recorder = type("Heard", (), {"record": lambda _, outcome: heard.append(outcome)})()
    telemetry = Telemetry(**told, recorder=recorder, capture_content=True, claim_events=True)
    assert mended(telemetry) == mended()
    assert [one.action for one in heard] == ["regenerate"]  # whoever still works is told
    with pytest.raises(UsageError, match="passages"):  # errors of the caller stay what they are
        Guard(telemetry=telemetry).check(ANSWER, 7)


def test_a_broken_span_around_the_check_changes_nothing():
    from opentelemetry import context

    token = context.attach(trace.set_span_in_context(BrokenSpan()))
    try:
        assert mended() == mended(Telemetry(capture_content=True))
    finally:
        context.detach(token)


def test_processors_that_raise_change_nothing(watched):
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
    assert len(watched.spans()) == SPANS  # the processor before it heard of all
    assert watched.total("guardrail.answers.active") == 0


def test_a_recorder_that_raises_is_heard_of_in_the_log(caplog):
    recorder = type("Full", (), {"record": lambda *_: json.loads("the text of the answer")})()
    with caplog.at_level(logging.WARNING, logger="guardrail"):
        assert mended(Telemetry(recorder=recorder)) == mended()
    assert [line.message for line in caplog.records] == ["the recorder failed: JSONDecodeError"]


def test_a_recorder_that_blocks_is_waited_for_but_its_time_is_not_the_guards(watched):
    """It must return at once, as its documentation says; a service whose recorder does not sees it here."""
    recorder = type("Slow", (), {"record": lambda *_: time.sleep(0.1)})()
    started = time.perf_counter()
    assert mended(watched.set_up(recorder=recorder)) == mended()
    assert time.perf_counter() - started > 0.1
    (whole,) = watched.points("guardrail.check.duration")
    assert whole.sum < 0.1


def test_an_sdk_that_is_shut_down_changes_nothing(watched):
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


# Labels.


def test_a_question_as_topic_costs_no_series(watched, monkeypatch):
    monkeypatch.setattr("guardrail.telemetry.observation.BOUNDS", Bounds())
    guard = Guard(policy=POLICY, engine=WRONG, telemetry=watched.settings)
    report = guard.check(ANSWER, PASSAGES)
    for number in range(400):
        with labels(topic=f"Why is the sky blue on day {number}?"):
            guard.apply(report)
    topics = [p.attributes["topic"] for p in watched.points("guardrail.answers") if "topic" in p.attributes]
    assert len(topics) == len(set(topics)) == 101
    assert watched.total("guardrail.answers", topic="other") == 300


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


# What needs a process of its own.


def run(script, **environment):
    """What a script printed as JSON in its last line, and the seconds that it lived on after that."""
    started = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment}
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=started)  # fmt: skip
    last = ""
    for line in process.stdout:
        last, at = line, time.monotonic()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return json.loads(last), time.monotonic() - at, errors


SERVICE = """
import json, os, sys, time
from guardrail import Guard, Policy
from guardrail.testing import FakeEngine
guard = Guard(policy=Policy.monitor(), engine=FakeEngine())  # before there is any SDK
def answer():
    return guard.run("The dam was closed in May. The crack was mended.", ["The dam was closed in May."])
answer()
from opentelemetry import _logs, metrics, trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import TracerProvider
tracers, loggers = TracerProvider(), LoggerProvider()
def serve(reader):
    trace.set_tracer_provider(tracers)
    _logs.set_logger_provider(loggers)
    metrics.set_meter_provider(MeterProvider([reader]))
"""

SET_LATER = (
    SERVICE
    + """
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
spans, logs, reader = InMemorySpanExporter(), InMemoryLogRecordExporter(), InMemoryMetricReader()
tracers.add_span_processor(SimpleSpanProcessor(spans))
loggers.add_log_record_processor(SimpleLogRecordProcessor(logs))
serve(reader)
answer()
told = {
    metric.name: metric.data.data_points
    for resource in reader.get_metrics_data().resource_metrics
    for scope in resource.scope_metrics
    for metric in scope.metrics
}
print(json.dumps({
    "spans": [span.name for span in spans.get_finished_spans()],
    "events": [one.log_record.event_name for one in logs.get_finished_logs()],
    "answers": [point.value for point in told["guardrail.answers"]],
    "bounds": list(told["guardrail.answer.score"][0].explicit_bounds),
}))
"""
)


def test_an_sdk_that_is_set_up_after_the_guard_is_used():
    told, _, _ = run(SET_LATER)
    assert told["spans"][-1] == "guardrail.check"
    assert len(told["spans"]) == 8
    assert told["events"] == ["gen_ai.evaluation.result"]
    assert told["answers"] == [1]  # without the one before
    assert told["bounds"][0] == 0.05


EXPORTING = (
    SERVICE
    + """
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace.export import BatchSpanProcessor
tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
loggers.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
serve(PeriodicExportingMetricReader(OTLPMetricExporter()))
for _ in range(20):
    answer()
"""
)


def test_a_hanging_collector_does_not_hold_the_exit_up():
    """As long as each exporter's own timeout, which OTEL_EXPORTER_OTLP_TIMEOUT bounds (seconds; default 10)."""
    with collecting("hangs") as (server, endpoint):
        script = EXPORTING + "print(json.dumps(len(answer().text)), flush=True)"
        length, lived, _ = run(script, OTEL_EXPORTER_OTLP_ENDPOINT=endpoint, OTEL_EXPORTER_OTLP_TIMEOUT="1")
    assert length == 48
    assert {path for path, _ in server.requests} == {"/v1/traces", "/v1/logs", "/v1/metrics"}  # it did try
    assert lived < 9  # three times a second, and what a busy machine needs to end


FORKED = (
    EXPORTING
    + """
import asyncio
def verdict():
    return asyncio.run(guard.arun("The dam was closed.", ["The dam was closed."])).report.verdict
assert verdict() == "supported"
tracers.force_flush()
child = os.fork()
if child == 0:
    try:
        with trace.get_tracer("test").start_as_current_span("of the child"):
            assert verdict() == answer().report.verdict == "supported"
        time.sleep(1)  # a thread of the child exports
        os._exit(0)
    except BaseException as error:
        os.write(2, repr(error).encode())
        os._exit(1)
code = os.waitpid(child, 0)[1]
answer()
print(json.dumps(os.waitstatus_to_exitcode(code)), flush=True)
"""
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_forked_worker_goes_on():
    """As gunicorn with --preload: the guard worked before, and both the child and the parent do afterwards."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    with collecting("answers") as (server, endpoint):
        code, _, errors = run(FORKED, OTEL_EXPORTER_OTLP_ENDPOINT=endpoint, OTEL_BSP_SCHEDULE_DELAY="100")
    assert code == 0, errors
    requests = [ExportTraceServiceRequest.FromString(body) for path, body in server.requests if path == "/v1/traces"]
    spans = [s for r in requests for of in r.resource_spans for scope in of.scope_spans for s in scope.spans]
    (own,) = (span for span in spans if span.name == "of the child")
    assert [s.name for s in spans if s.parent_span_id == own.span_id].count("guardrail.check") == 2
    assert len({s.span_id for s in spans}) == len(spans)  # nothing was sent twice
