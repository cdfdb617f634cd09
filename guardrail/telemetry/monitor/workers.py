"""Metrics of all worker processes of a service on one page, by the multi-process mode of prometheus_client.

OpenTelemetry's exporter for Prometheus knows its own process only. Where PROMETHEUS_MULTIPROC_DIR is set instruments
write to prometheus_client's files in that folder instead, one per process, and a page adds them up. What a process
counted outlives it, however it ended and without a last word, so that totals never fall.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from opentelemetry import metrics as api
from opentelemetry.metrics import MeterProvider, NoOpMeter
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

_UNITS = {"s": "_seconds", "By": "_bytes"}

_log = logging.getLogger(__name__)


class SharedMeterProvider(MeterProvider):
    """Counters, up-down counters and histograms in files; instruments that have to be asked are not asked."""

    def __init__(self) -> None:
        self._series: dict[tuple[type, str], _Series] = {}
        self._lock = threading.Lock()

    def get_meter(
        self,
        name: str,
        version: str | None = None,
        schema_url: str | None = None,
        attributes: Any = None,  # noqa: ARG002
    ) -> api.Meter:
        """See MeterProvider."""
        return _Meter(self, name, version, schema_url)

    def shutdown(self) -> None:
        """Nothing: all is in the files."""

    def series(self, kind: type[Counter | Gauge | Histogram], name: str, unit: str, **options: Any) -> _Series:
        """The metric of that name: one for all instruments of that name, else each overwrites the other's values."""
        name = re.sub(r"\W", "_", name) + _UNITS.get(unit, "")
        with self._lock:
            return self._series.setdefault((kind, name), _Series(kind, name, options))


class _Series:
    """What one metric counts, by label names: prometheus_client wants them fixed, OpenTelemetry does not."""

    def __init__(self, kind: type[Counter | Gauge | Histogram], name: str, options: Mapping[str, Any]) -> None:
        self._kind, self._name, self._options = kind, name, options
        self._metrics: dict[tuple[str, ...], Any] = {}
        self._lock = threading.Lock()

    def change(self, method: str, amount: float, attributes: Mapping[str, Any] | None) -> None:
        """Call ``inc`` or ``observe`` of the child with these labels. An instrument never raises."""
        try:
            labels = {re.sub(r"\W", "_", key): str(value) for key, value in sorted((attributes or {}).items())}
            with self._lock:
                metric = self._metrics.get(names := tuple(labels))
                if metric is None:
                    metric = self._metrics[names] = self._kind(self._name, labelnames=names, **self._options)
            getattr(metric.labels(**labels) if labels else metric, method)(amount)
        except Exception as error:
            _log.debug("%s was not counted", self._name, exc_info=error)


class _Meter(NoOpMeter):
    def __init__(self, provider: SharedMeterProvider, name: str, version: str | None, schema_url: str | None) -> None:
        super().__init__(name, version, schema_url)
        self._provider = provider

    def create_counter(self, name: str, unit: str = "", description: str = "") -> api.Counter:
        return _Counter(self._provider.series(Counter, name, unit, documentation=description, registry=None))

    def create_up_down_counter(self, name: str, unit: str = "", description: str = "") -> api.UpDownCounter:
        options = {"documentation": description, "multiprocess_mode": "livesum", "registry": None}
        return _UpDownCounter(self._provider.series(Gauge, name, unit, **options))

    def create_histogram(
        self,
        name: str,
        unit: str = "",
        description: str = "",
        *,
        explicit_bucket_boundaries_advisory: Sequence[float] | None = None,
    ) -> api.Histogram:
        bounds = explicit_bucket_boundaries_advisory or Histogram.DEFAULT_BUCKETS
        options = {"documentation": description, "buckets": bounds, "registry": None}
        return _Histogram(self._provider.series(Histogram, name, unit, **options))


class _Instrument:
    def __init__(self, series: _Series) -> None:
        self._series = series


class _Counter(_Instrument, api.Counter):
    def add(self, amount: float, attributes: Any = None, context: Any = None) -> None:  # noqa: ARG002
        self._series.change("inc", amount, attributes)


class _UpDownCounter(_Instrument, api.UpDownCounter):
    def add(self, amount: float, attributes: Any = None, context: Any = None) -> None:  # noqa: ARG002
        self._series.change("inc", amount, attributes)


class _Histogram(_Instrument, api.Histogram):
    def record(self, amount: float, attributes: Any = None, context: Any = None) -> None:  # noqa: ARG002
        self._series.change("observe", amount, attributes)


def shared_page(folder: Path) -> CollectorRegistry:
    """What all processes wrote to the folder, added up at each scrape."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Folder(folder))
    return registry


class _Folder(Collector):
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterable[Metric]:
        """All files, without what dead processes were about to do."""
        for file in self._folder.glob("gauge_live*.db"):
            process = file.stem.rpartition("_")[2]
            if process.isdigit() and not _lives(int(process)):
                with suppress(FileNotFoundError):  # another scrape was quicker
                    mark_process_dead(int(process), str(self._folder))
        collected: Iterable[Metric] = MultiProcessCollector(None, str(self._folder)).collect()
        return collected


def _lives(process: int) -> bool:
    if os.name == "nt":  # os.kill would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    return True
