"""The metrics of this process, or of all processes of a service, for a /metrics of its own."""

from __future__ import annotations

import os

from guardrail.errors import MissingExtraError
from guardrail.telemetry.monitor.serve import FOLDER, usable_folder

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def count_for_page() -> bool:
    """Make a MeterProvider the global one whose metrics ``page`` shows, where none is set yet.

    Returns:
        Whether it was made; False = there is one already, and the page shows it if it exports to Prometheus.

    Raises:
        MissingExtraError: the extra ``monitoring`` is not installed.
        ConfigurationError: PROMETHEUS_MULTIPROC_DIR names a folder that cannot be written to.
    """
    try:
        from opentelemetry import metrics
        from opentelemetry.exporter.prometheus import PrometheusMetricReader
        from opentelemetry.sdk.metrics import MeterProvider

        from guardrail.telemetry.monitor.workers import SharedMeterProvider
    except ImportError as error:
        raise MissingExtraError('metrics need OpenTelemetry: pip install "rag-guardrail[monitoring]".') from error
    if isinstance(metrics.get_meter_provider(), (MeterProvider, SharedMeterProvider)):
        return False
    if folder := os.environ.get(FOLDER):
        usable_folder(folder)
        metrics.set_meter_provider(SharedMeterProvider())
    else:
        metrics.set_meter_provider(MeterProvider(metric_readers=[PrometheusMetricReader()]))
    return True


def page() -> bytes:
    """What Prometheus scrapes: of all processes where PROMETHEUS_MULTIPROC_DIR names a folder.

    Raises:
        MissingExtraError: prometheus_client is not installed.
        ConfigurationError: as ``count_for_page``.
    """
    try:
        from prometheus_client import REGISTRY, generate_latest
    except ImportError as error:
        raise MissingExtraError('metrics need prometheus_client: pip install "rag-guardrail[monitoring]".') from error
    folder = os.environ.get(FOLDER)
    if not folder:
        return bytes(generate_latest(REGISTRY))
    from guardrail.telemetry.monitor.workers import shared_page

    return bytes(generate_latest(shared_page(usable_folder(folder))))
