"""A collector that is broken or hangs: the answers are the same, and none waits; processes end and fork as before."""

import gc
import json
import os
import subprocess
import sys
import threading
import time

import pytest

from guardrail.telemetry import Telemetry

pytestmark = pytest.mark.clock

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

SPANS = 16
"""Of one answer that is mended once."""


@pytest.mark.parametrize("mood", ["refuses", "500", "400", "garbage", "hangs up", "hangs"])
def test_a_broken_collector_changes_no_decision(collecting, exporting, mended, mood):
    expected = mended()
    with collecting("refuses" if mood == "refuses" else mood) as (server, endpoint):
        if mood == "refuses":
            server.server_close()
        with exporting(endpoint) as telemetry:
            assert [mended(telemetry) for _ in range(5)] == [expected] * 5
            until = time.monotonic() + 60
            while mood != "refuses" and not server.requests and time.monotonic() < until:
                time.sleep(0.01)
        assert mood == "refuses" or server.requests  # it was asked indeed


def test_no_answer_waits_for_a_hanging_collector_nor_are_its_spans_kept(collecting, exporting, mended):
    """The exporters wait ten minutes, and the collector answers none of them before all answers are there."""
    from opentelemetry.sdk.trace import ReadableSpan

    given = threading.Event()
    with collecting("hangs") as (server, endpoint), exporting(endpoint, timeout=600, queue=100) as telemetry:
        until = time.monotonic() + 120
        while len({path for path, _ in server.requests}) < 3 and time.monotonic() < until:
            mended(telemetry)
        assert len({path for path, _ in server.requests}) == 3  # all three exporters hang from here on

        def answer():
            for _ in range(60):
                mended(telemetry)
            given.set()

        threading.Thread(target=answer, daemon=True).start()
        in_time = given.wait(240)
        own = telemetry.tracer_provider.resource  # spans of other tests may be about
        spans = sum(issubclass(type(thing), ReadableSpan) and thing.resource is own for thing in gc.get_objects())
        server.mood = "answers"
        server.released.set()
    assert in_time
    assert 100 <= spans < 200 < 60 * SPANS  # the queue and the batch that hangs, not all that there were


def test_an_exporter_in_the_way_exports_where_the_answer_is_made(mended):
    """SimpleSpanProcessor exports where the span ends: the documentation says to use a batch."""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExporter, SpanExportResult

    class Noting(SpanExporter):
        def __init__(self):
            self.threads = []

        def export(self, spans):
            self.threads += [threading.current_thread()] * len(spans)
            return SpanExportResult.SUCCESS

    def exported_by(kind):
        noting, tracers = Noting(), TracerProvider(shutdown_on_exit=False)
        tracers.add_span_processor(kind(noting))
        assert mended(Telemetry(tracer_provider=tracers)) == mended()
        tracers.shutdown()
        return noting.threads

    here = threading.current_thread()
    assert exported_by(SimpleSpanProcessor) == [here] * SPANS
    elsewhere = exported_by(BatchSpanProcessor)
    assert len(elsewhere) == SPANS
    assert here not in elsewhere


# What needs a process of its own.


def run(script, **environment):
    """What a script printed as JSON in its last line, and what it said besides; it must end."""
    started = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment}
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=started)  # fmt: skip
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return json.loads(out.splitlines()[-1]), errors


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
    told, _ = run(SET_LATER)
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


def test_a_hanging_collector_does_not_hold_the_exit_up(collecting):
    """A process ends while the collector still hangs: OTEL_EXPORTER_OTLP_TIMEOUT bounds the wait (seconds)."""
    with collecting("hangs") as (server, endpoint):
        script = EXPORTING + "print(json.dumps(len(answer().text)), flush=True)"
        length, _ = run(script, OTEL_EXPORTER_OTLP_ENDPOINT=endpoint, OTEL_EXPORTER_OTLP_TIMEOUT="1")
        assert not server.released.is_set()
    assert length == 48
    assert {path for path, _ in server.requests} == {"/v1/traces", "/v1/logs", "/v1/metrics"}  # it did try


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
def test_a_forked_worker_goes_on(collecting):
    """As gunicorn with --preload: the guard worked before, and both the child and the parent do afterwards."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    with collecting("answers") as (server, endpoint):
        code, errors = run(FORKED, OTEL_EXPORTER_OTLP_ENDPOINT=endpoint, OTEL_BSP_SCHEDULE_DELAY="100")
    assert code == 0, errors
    requests = [ExportTraceServiceRequest.FromString(body) for path, body in server.requests if path == "/v1/traces"]
    spans = [s for r in requests for of in r.resource_spans for scope in of.scope_spans for s in scope.spans]
    (own,) = (span for span in spans if span.name == "of the child")
    assert [s.name for s in spans if s.parent_span_id == own.span_id].count("guardrail.check") == 2
    assert len({s.span_id for s in spans}) == len(spans)  # nothing was sent twice
