"""Collectors of every mood, exporters to them, and guards whose spans are counted."""

import threading
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from guardrail import Guard, Passage, Policy
from guardrail.telemetry import Telemetry
from guardrail.testing import FakeEngine

PASSAGES = [Passage(id="p1", text="The dam was closed in May. The crack was mended.")]
POLICY = Policy(name="p", actions={"contradicted": "regenerate"}, max_attempts=2)
WRONG = FakeEngine({"because": "contradicted"}, default="supported")


@pytest.fixture
def mended():
    """Has one answer regenerated, perhaps with telemetry; 16 spans."""
    return _mended


def _mended(telemetry=None):
    """One answer that is regenerated, as text: all that must stay the same. Two checks with all their stages."""
    settings = {} if telemetry is None else {"telemetry": telemetry}
    guarded = Guard(policy=POLICY, engine=WRONG, **settings).run(
        "The dam was closed in May. It reopened in July because the crack was mended.",
        PASSAGES,
        regenerate=lambda _: "The dam was closed in May.",
    )
    return (guarded.text, guarded.action, guarded.attempts, guarded.report.verdict, guarded.original.verdict)


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
            self.server.released.wait(600)
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


@pytest.fixture
def collecting():
    """Starts a collector of a mood (see Collector), for a block."""
    return _collecting


@contextmanager
def _collecting(mood):
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


@pytest.fixture
def exporting():
    """Telemetry to an endpoint, for a block."""
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    return _exporting


@contextmanager
def _exporting(endpoint, *, timeout=0.3, queue=2048):
    """Telemetry through the SDK's own processors and OTLP/HTTP exporters, which wait ``timeout`` seconds."""
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
        self._tracer = tracers.get_tracer("test")
        self._engine = FakeEngine({"because": "contradicted"}, default="supported")

    def verify(self, request):
        with self._tracer.start_as_current_span("engine"):
            return self._engine.verify(request)


@pytest.fixture
def guard(watched):
    return Guard(policy=POLICY, engine=Telling(watched.tracers), telemetry=watched.settings)
