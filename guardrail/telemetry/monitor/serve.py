"""A /metrics for services that have no OpenTelemetry set-up of their own."""

from __future__ import annotations

import errno
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Self
from wsgiref.simple_server import WSGIServer

from guardrail.errors import ConfigurationError, MissingExtraError, UsageError

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics import MeterProvider
    from prometheus_client import CollectorRegistry

    from guardrail.telemetry.monitor.workers import SharedMeterProvider

PORT = 9464
"""Where OpenTelemetry's exporters for Prometheus listen by default."""

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Variable of the environment by which prometheus_client's processes share what they count."""

_PORTS = 32
"""Ports tried, from the wanted one on."""

_log = logging.getLogger(__name__)


class MetricsServer:
    """Serves metrics until it is closed; also a context manager.

    Attributes:
        host: Address of the page.
        port: Port of the page.
    """

    def __init__(
        self, host: str, port: int, server: WSGIServer | None, provider: MeterProvider | SharedMeterProvider
    ) -> None:
        self.host = host if server is None else str(server.server_address[0])
        self.port = port if server is None else server.server_port
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
        if self._server is not None:
            if os.getpid() == self._process:  # a fork has no thread that serves: shutdown would wait for ever
                self._server.shutdown()
            self._server.server_close()
        self._provider.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def warn_of_fork(self) -> None:
        """In a process that was forked later."""
        if not self._closed:
            _log.warning(
                "process %d was forked after serve_metrics: what it counts is on no page. Set %s to an empty folder "
                "before the service starts: then the page shows all of its processes.", os.getpid(), FOLDER,
            )  # fmt: skip


def serve_metrics(port: int = PORT, host: str = "127.0.0.1") -> MetricsServer:
    """Serve metrics for Prometheus, where no OpenTelemetry SDK is set up.

    Makes a MeterProvider with OpenTelemetry's own Prometheus exporter the global one; the page is of this process.
    Where the variable PROMETHEUS_MULTIPROC_DIR names a folder, the page is of all processes that write to it: the
    workers of one service, forked before or after, also those that have ended.

    Args:
        port: Port to listen on; 0 takes a free one (see ``port`` of what is returned). Where it is in use the next free
            one is taken, and a warning logged; with PROMETHEUS_MULTIPROC_DIR the process that has it serves the page.
        host: Address to listen on. The page has no login: name another than loopback only where strangers cannot come.

    Returns:
        The server; close it when the service ends.

    Raises:
        MissingExtraError: the extra ``monitoring`` is not installed.
        ConfigurationError: a MeterProvider is set already, port or host is none, or the folder cannot be written to.
        UsageError: the address cannot be listened on.
    """
    try:
        from opentelemetry import metrics
        from opentelemetry.exporter.prometheus import PrometheusMetricReader
        from opentelemetry.sdk.metrics import MeterProvider

        from guardrail.telemetry.monitor.workers import SharedMeterProvider, shared_page
    except ImportError as error:
        raise MissingExtraError(
            'serve_metrics needs OpenTelemetry: pip install "rag-guardrail[monitoring]".'
        ) from error
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port <= 65535:
        raise ConfigurationError(f"port must be a number from 0 to 65535, got {port!r}.")
    if not isinstance(host, str) or not host:  # None would be all addresses
        raise ConfigurationError(f"host must be a name or an address, such as 127.0.0.1, got {host!r}.")
    if isinstance(metrics.get_meter_provider(), (MeterProvider, SharedMeterProvider)):
        raise ConfigurationError(_ALREADY)
    folder = os.environ.get(FOLDER)
    page = shared_page(usable_folder(folder)) if folder else None
    provider = SharedMeterProvider() if folder else MeterProvider(metric_readers=[PrometheusMetricReader()])
    try:
        server = _listen(port, host, page)
    except BaseException:
        provider.shutdown()
        raise
    metrics.set_meter_provider(provider)
    served = MetricsServer(host, port, server, provider)
    if metrics.get_meter_provider() is not provider:  # one of another kind is set, or another thread was quicker
        served.close()
        raise ConfigurationError(_ALREADY)
    if page is None and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=served.warn_of_fork)
    return served


def _listen(port: int, host: str, page: CollectorRegistry | None) -> WSGIServer | None:
    """A server on this port or, where it is in use, a later one; None where another process serves the same page.

    Args:
        port: 0 = any.
        host: Address.
        page: What all processes of the service show; None = each its own.
    """
    from prometheus_client import REGISTRY, start_http_server

    for candidate in (*range(port, min(port + _PORTS, 65536)), 0):
        try:
            server, _ = start_http_server(candidate, host, REGISTRY if page is None else page)
        except (OSError, UnicodeError) as error:  # UnicodeError: a name that cannot be looked up
            if getattr(error, "errno", None) != errno.EADDRINUSE:
                said = error.strerror if isinstance(error, OSError) else error
                raise UsageError(
                    f"cannot serve metrics at {host!r}, port {candidate}: {said}. Name another port or host."
                ) from error
            if page is not None:
                _log.info("port %d is in use: by another process of the service, which shows all of them", port)
                return None
        else:
            if server.server_port != port and port:
                _log.warning(_BUSY, port, server.server_port, FOLDER)
            return server
    return None


def usable_folder(folder: str) -> Path:
    """The folder for files of metrics; made where it is not there.

    Raises:
        ConfigurationError: it cannot be written to, or prometheus_client does not know of it.
    """
    from prometheus_client.values import MutexValue, ValueClass

    if ValueClass is MutexValue:
        raise ConfigurationError(
            f"{FOLDER} was set after prometheus_client was imported. Set it before the service starts."
        )
    try:
        Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"{FOLDER} is {folder!r}, and cannot be a folder: {error.strerror}.") from error
    if not os.access(folder, os.W_OK):
        raise ConfigurationError(f"{FOLDER} is {folder!r}, and cannot be written to. Name another folder.")
    return Path(folder)


_BUSY = (
    "port %d is in use: the metrics of this process are on port %d. If both belong to one service, set %s to an empty "
    "folder before it starts: then one page shows all of its processes. Else name this port to Prometheus, too."
)
_ALREADY = (
    "this process has a MeterProvider already. Add opentelemetry.exporter.prometheus.PrometheusMetricReader() to its "
    "metric_readers instead of calling serve_metrics, or let it export as it does: guardrail's metrics are in it."
)
