"""A /metrics for services that have no OpenTelemetry set-up of their own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self
from wsgiref.simple_server import WSGIServer

from guardrail.errors import ConfigurationError, MissingExtraError, UsageError

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics import MeterProvider

PORT = 9464
"""Where OpenTelemetry's exporters for Prometheus listen by default."""


class MetricsServer:
    """Serves the metrics of this process until it is closed; also a context manager.

    Attributes:
        host: Address that it listens on.
        port: Port that it listens on.
    """

    def __init__(self, server: WSGIServer, provider: MeterProvider) -> None:
        self.host = str(server.server_address[0])
        self.port = server.server_port
        self._server = server
        self._provider = provider
        self._closed = False
        self._process = os.getpid()

    @property
    def url(self) -> str:
        """What Prometheus scrapes."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/metrics"

    def close(self) -> None:
        """Stop serving and counting. Metrics cannot be served a second time in the same process."""
        if self._closed:
            return
        self._closed = True
        if os.getpid() == self._process:  # a fork has no thread that serves: shutdown would wait for ever
            self._server.shutdown()
        self._server.server_close()
        self._provider.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def serve_metrics(port: int = PORT, host: str = "127.0.0.1") -> MetricsServer:
    """Serve this process' metrics for Prometheus, where no OpenTelemetry SDK is set up.

    Makes a MeterProvider with OpenTelemetry's own Prometheus exporter the global one. Call it once per process, after
    a server has forked its workers: every worker counts for itself and needs a port and a target of its own.

    Args:
        port: Port to listen on; 0 takes a free one (see ``port`` of what is returned).
        host: Address to listen on. The page has no login: name another than loopback only where strangers cannot come.

    Returns:
        The server; close it when the service ends.

    Raises:
        MissingExtraError: the extra ``monitoring`` is not installed.
        ConfigurationError: a MeterProvider is set already, or port or host is none.
        UsageError: the address cannot be listened on.
    """
    try:
        from opentelemetry import metrics
        from opentelemetry.exporter.prometheus import PrometheusMetricReader
        from opentelemetry.sdk.metrics import MeterProvider
        from prometheus_client import start_http_server
    except ImportError as error:
        raise MissingExtraError(
            'serve_metrics needs OpenTelemetry: pip install "rag-guardrail[monitoring]".'
        ) from error
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port <= 65535:
        raise ConfigurationError(f"port must be a number from 0 to 65535, got {port!r}.")
    if not isinstance(host, str) or not host:  # None would be all addresses
        raise ConfigurationError(f"host must be a name or an address, such as 127.0.0.1, got {host!r}.")
    if isinstance(metrics.get_meter_provider(), MeterProvider):
        raise ConfigurationError(_ALREADY)
    reader = PrometheusMetricReader()
    provider = MeterProvider(metric_readers=[reader])
    try:
        server, _ = start_http_server(port, host)
    except (OSError, UnicodeError) as error:  # UnicodeError: a name that cannot be looked up
        provider.shutdown()
        said = error.strerror if isinstance(error, OSError) else error
        raise UsageError(
            f"cannot serve metrics at {host!r}, port {port}: {said}. Name another port or host."
        ) from error
    metrics.set_meter_provider(provider)
    served = MetricsServer(server, provider)
    if metrics.get_meter_provider() is not provider:  # one of another kind is set, or another thread was quicker
        served.close()
        raise ConfigurationError(_ALREADY)
    return served


_ALREADY = (
    "this process has a MeterProvider already. Add opentelemetry.exporter.prometheus.PrometheusMetricReader() to its "
    "metric_readers instead of calling serve_metrics, or let it export as it does: guardrail's metrics are in it."
)
