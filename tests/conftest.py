"""No test may leave this machine, and none fails because the machine is busy."""

from __future__ import annotations

import functools
import gc
import os
import signal
import socket
import ssl

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("tests.support")  # so that their failures show values, too
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["LANGCHAIN_TRACING_V2"] = "false"

# A busy machine is no reason to fail, nor is an example that nobody has met before: --hypothesis-profile search looks.
settings.register_profile("guardrail", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile("guardrail")

_LOCAL = ("127.0.0.1", "::1", "localhost")

# What modules and collected tests hold lives to the end: the garbage collector need not look through it again and again.
gc.disable()


def pytest_collection_finish(session):
    """From here on it looks at what tests make."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config, items):
    """Only tests that wait for servers and processes are run again: what else fails has a reason."""
    if config.pluginmanager.hasplugin("rerunfailures"):
        for item in items:
            if item.get_closest_marker("clock"):
                item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.fixture(autouse=True, scope="module")
def leftovers_are_collected():
    """A later test may nest as deeply as it can: no frame is left there in which a socket could say that it is open."""
    yield
    gc.collect()


@pytest.fixture(autouse=True, scope="session")
def ctrl_c():
    """A shell starts what it runs in the background with Ctrl-C ignored, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True, scope="session")
def one_thread_per_model():
    """Threads of the model that wait for each other by spinning cost several tests at once many times their work."""
    from guardrail.engines.local import model, packs

    real = model.session
    with pytest.MonkeyPatch.context() as patch:
        for module in (model, packs):
            patch.setattr(module, "session", lambda folder, threads: real(folder, threads or 1))
        yield


@pytest.fixture(autouse=True, scope="session")
def certificates_are_read_once():
    """Each HTTP client reads the certificates of all authorities, a tenth of a second; no test needs any."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", functools.cache(ssl.create_default_context))
        yield


@pytest.fixture(autouse=True, scope="session")
def no_network():
    """Only Unix sockets and the loopback interface can be connected to."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, _local_only(getattr(socket.socket, name)))
        yield


def _local_only(connect):
    def checked(self, address):
        if self.family != getattr(socket, "AF_UNIX", None) and address[0] not in _LOCAL:
            raise AssertionError(f"a test tried to connect to {address!r}")
        return connect(self, address)

    return checked


class Watched:
    """Real OpenTelemetry providers that keep what they are told."""

    def __init__(self):
        from opentelemetry.sdk._logs import LoggerProvider
        from opentelemetry.sdk._logs import export as logs
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        # Its name was another in older SDKs.
        keeping = getattr(logs, "InMemoryLogRecordExporter", None) or logs.InMemoryLogExporter
        self._spans, self._reader, self._logs = InMemorySpanExporter(), InMemoryMetricReader(), keeping()
        self.tracers, self.meters, self.loggers = (
            TracerProvider(),
            MeterProvider([self._reader], shutdown_on_exit=False),
            LoggerProvider(shutdown_on_exit=False),
        )
        self.tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self.loggers.add_log_record_processor(logs.SimpleLogRecordProcessor(self._logs))

    def set_up(self, **settings):
        """Telemetry to these providers."""
        from guardrail.telemetry import Telemetry

        return Telemetry(
            tracer_provider=self.tracers, meter_provider=self.meters, logger_provider=self.loggers, **settings
        )

    @property
    def settings(self):
        return self.set_up()

    def spans(self, name=None):
        """Spans that have ended, in the order in which they did."""
        return [s for s in self._spans.get_finished_spans() if name in (None, s.name)]

    def children(self, parent):
        """Names of the spans under one, in the order in which they began."""
        own = [s for s in self.spans() if s.parent and s.parent.span_id == parent.context.span_id]
        return [s.name for s in sorted(own, key=lambda s: s.start_time)]

    def events(self):
        """Log records."""
        return [one.log_record for one in self._logs.get_finished_logs()]

    def points(self, name, **labels):
        """Data points of a metric that have these labels, since the beginning."""
        data = self._reader.get_metrics_data()
        return [
            point
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
            if labels.items() <= dict(point.attributes).items()
        ]

    def total(self, name, **labels):
        """Sum of a counter."""
        return sum(point.value for point in self.points(name, **labels))

    def count(self, name, **labels):
        """How many values a histogram holds."""
        return sum(point.count for point in self.points(name, **labels))


@pytest.fixture
def watched():
    """Somebody who hears of all spans, metrics and events."""
    pytest.importorskip("opentelemetry.sdk")
    return Watched()
