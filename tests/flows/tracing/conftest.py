"""A receiver of OTLP over HTTP, as a collector or a trace backend is one."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Receiver:
    """Takes traces, metrics and logs on loopback and keeps them; ``manner`` is how it behaves.

    ``ok``, ``fails`` (500), ``hangs`` (accepts and never answers) or ``refuses`` (nobody listens).
    """

    def __init__(self, manner="ok"):
        self.manner, self.bodies, self.closing = manner, [], threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        if manner == "refuses":
            self._server.server_close()

    def __enter__(self):
        if self.manner != "refuses":
            threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.closing.set()
        if self.manner != "refuses":
            self._server.shutdown()
            self._server.server_close()

    @property
    def raw(self):
        """All that arrived, as it came over the wire."""
        return b"\n".join(body for _, body in self.bodies)

    def spans(self, name=None):
        """Decoded spans."""
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        return [
            span
            for message in self._read("/v1/traces", ExportTraceServiceRequest)
            for resource in message.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
            if name in (None, span.name)
        ]

    def logs(self):
        """Decoded log records."""
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

        return [
            record
            for message in self._read("/v1/logs", ExportLogsServiceRequest)
            for resource in message.resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]

    def metrics(self):
        """Decoded metrics by name."""
        from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

        return {
            metric.name: metric
            for message in self._read("/v1/metrics", ExportMetricsServiceRequest)
            for resource in message.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def _read(self, path, kind):
        return [kind.FromString(body) for at, body in self.bodies if at == path]

    def _handler(self):
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.bodies.append((self.path, body))
                if receiver.manner == "hangs":
                    receiver.closing.wait(30)
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.send_response(500 if receiver.manner == "fails" else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        return Handler


class Exporting:
    """An OpenTelemetry SDK that exports in batches over OTLP, as services set it up.

    Metrics are sent every ``pause`` seconds; exemplars are sent once, so a test that reads them wants one export.
    """

    def __init__(self, url, seconds=2, pause=60):
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk._logs import LoggerProvider
        from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        self.tracers = TracerProvider(shutdown_on_exit=False)
        spans = OTLPSpanExporter(f"{url}/v1/traces", timeout=seconds)
        self.tracers.add_span_processor(BatchSpanProcessor(spans, schedule_delay_millis=50))
        metrics = OTLPMetricExporter(f"{url}/v1/metrics", timeout=seconds)
        reader = PeriodicExportingMetricReader(
            metrics, export_interval_millis=pause * 1e3, export_timeout_millis=seconds * 1e3
        )
        self.meters = MeterProvider([reader], shutdown_on_exit=False)
        self.loggers = LoggerProvider(shutdown_on_exit=False)
        logs = OTLPLogExporter(f"{url}/v1/logs", timeout=seconds)
        self.loggers.add_log_record_processor(BatchLogRecordProcessor(logs, schedule_delay_millis=50))

    def set_up(self, **settings):
        """Telemetry that goes there."""
        from guardrail.telemetry import Telemetry

        providers = {
            "tracer_provider": self.tracers,
            "meter_provider": self.meters,
            "logger_provider": self.loggers,
        }
        return Telemetry(**providers, **settings)

    def close(self):
        """Send what is left, and end."""
        providers = (self.tracers, self.meters, self.loggers)
        with ThreadPoolExecutor(len(providers)) as threads:
            list(threads.map(lambda provider: provider.shutdown(), providers))


@pytest.fixture
def receiver():
    """One that works."""
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def exporting(receiver):
    """An SDK that exports to it."""
    sdk = Exporting(receiver.url)
    yield sdk
    sdk.close()


@pytest.fixture
def broken():
    """Makes a receiver that does not work, and an SDK that exports to it."""
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    made = []

    def make(manner):
        receiver = Receiver(manner).__enter__()
        made.append((receiver, sdk := Exporting(receiver.url, seconds=5, pause=0.1)))
        return receiver, sdk

    yield make
    for receiver, sdk in made:
        receiver.__exit__()
        ending = threading.Thread(target=sdk.close, daemon=True)
        ending.start()
        ending.join(60)
        assert not ending.is_alive()
