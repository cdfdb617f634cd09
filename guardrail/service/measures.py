"""Metrics of the service itself; those of the guards are the SDK's (docs/monitoring.md)."""

from __future__ import annotations

from opentelemetry import metrics

from guardrail import __version__
from guardrail.telemetry.metrics import SECONDS

_LAGS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0)


class Measures:
    """Instruments, by the global MeterProvider."""

    def __init__(self) -> None:
        meter = metrics.get_meter("guardrail.service", __version__)
        self._requests = meter.create_counter("guardrail.service.requests", "{request}", "Requests")
        self._seconds = meter.create_histogram(
            "guardrail.service.request.duration",
            "s",
            "From the head of a request to the end of its reply",
            explicit_bucket_boundaries_advisory=SECONDS,
        )
        self._wait = meter.create_histogram(
            "guardrail.service.wait", "s", "Wait of a check for its turn", explicit_bucket_boundaries_advisory=SECONDS
        )
        self._lag = meter.create_histogram(
            "guardrail.service.lag",
            "s",
            "How late the event loop comes to its next step",
            explicit_bucket_boundaries_advisory=_LAGS,
        )
        self._waiting = meter.create_up_down_counter("guardrail.service.waiting", "{check}", "Checks that wait")
        self._running = meter.create_up_down_counter("guardrail.service.running", "{check}", "Checks at work")
        self._replaced = meter.create_counter(
            "guardrail.service.replaced", "{process}", "Processes of the local engine that died and were replaced"
        )
        self._reloads = meter.create_counter("guardrail.service.reloads", "{reload}", "Settings read again")

    def request(self, route: str, status: int, seconds: float) -> None:
        """A request has its reply; status 0: the client left before."""
        labels = {"route": route, "status": str(status or "left")}
        self._requests.add(1, labels)
        self._seconds.record(seconds, {"route": route})

    def waited(self, seconds: float) -> None:
        """A check has its turn."""
        self._wait.record(seconds)

    def waiting(self, change: int) -> None:
        """A check waits (1), or does no more (-1)."""
        self._waiting.add(change)

    def running(self, change: int) -> None:
        """A check is at work (1), or has ended (-1)."""
        self._running.add(change)

    def lag(self, seconds: float) -> None:
        """The event loop came so much later than it wanted to."""
        self._lag.record(seconds)

    def replaced(self) -> None:
        """A process of the local engine has died; another takes its place."""
        self._replaced.add(1)

    def reload(self, outcome: str) -> None:
        """The settings were read again: ``done`` or ``failed``."""
        self._reloads.add(1, {"outcome": outcome})
