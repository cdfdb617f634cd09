"""The real Prometheus on a folder of ``guardrail monitor``, and what it says; it ends with its context."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from http_calls import get
from reading import UNFAITHFUL, Alert, Counts, Reading

MISSING = (
    "prometheus is not installed. Debian, Ubuntu: sudo apt install prometheus. Else: https://prometheus.io/download/. "
    "Or go on with --without-prometheus."
)
_UNFAITHFUL = f'verdict=~"{"|".join(UNFAITHFUL)}"'
_LATELY = "5s"
_PATIENCE = 20.0


@dataclass(frozen=True, slots=True)
class Prometheus:
    """The HTTP API of a server."""

    url: str

    def get(self, path: str, **parameters: str) -> Any:
        """``data`` of a reply; OSError where there is none."""
        query = urllib.parse.urlencode(parameters)
        return json.loads(get(f"{self.url}/api/v1/{path}?{query}"))["data"]

    def query(self, expr: str) -> Counts:
        """Labels and value of each series."""
        return [(found["metric"], float(found["value"][1])) for found in self.get("query", query=expr)["result"]]

    def wait_for(self, expr: str, seconds: float = 20) -> None:
        """Until the query finds something; RuntimeError where it does not."""
        until = time.monotonic() + seconds
        while not self.query(expr):
            if time.monotonic() > until:
                raise RuntimeError(f"prometheus finds no {expr}")
            time.sleep(0.1)

    def now(self) -> Reading:
        """What a glance at the dashboard shows."""
        answers = f"sum(rate(guardrail_answers_total[{_LATELY}]))"
        bad = f"sum(rate(guardrail_answers_total{{{_UNFAITHFUL}}}[{_LATELY}]))"
        buckets = f"sum by (le) (rate(guardrail_check_duration_seconds_bucket[{_LATELY}]))"
        return Reading(
            per_second=self._one(answers) or 0.0,
            unfaithful=self._one(f"({bad} or vector(0)) / ({answers} > 0)"),
            p95=self._one(f"histogram_quantile(0.95, {buckets}) >= 0"),
            alerts=self.alerts(),
        )

    def alerts(self) -> tuple[Alert, ...]:
        """Pending and firing ones; those that page first."""
        found = [
            Alert(
                name=raw["labels"]["alertname"],
                state=raw["state"],
                severity=raw["labels"].get("severity", ""),
                summary=raw["annotations"].get("summary", ""),
                description=raw["annotations"].get("description", ""),
            )
            for raw in self.get("alerts")["alerts"]
        ]
        return tuple(sorted(found, key=lambda alert: (alert.state, alert.severity, alert.name)))

    def answers(self) -> Counts:
        """How many answers there were so far, by labels."""
        return self.query("guardrail_answers_total")

    def _one(self, expr: str) -> float | None:
        found = self.query(expr)
        return found[0][1] if found else None


@contextmanager
def prometheus(folder: Path, data: Path) -> Iterator[Prometheus]:
    """Run it on ``folder/prometheus.yml`` with its data in ``data``, on a free port.

    Raises:
        RuntimeError: it ended, or did not get ready; with what it said.
    """
    port = free_port()
    command = [
        shutil.which("prometheus") or "prometheus",
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={data}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=warn",
    ]
    log = data.with_suffix(".log")
    with log.open("w") as said, running(subprocess.Popen(command, stdout=said, stderr=said)) as process:  # noqa: S603
        server = Prometheus(f"http://127.0.0.1:{port}")
        until = time.monotonic() + _PATIENCE
        while not _ready(server.url):
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"prometheus did not start:\n{log.read_text()}")
            time.sleep(0.1)
        yield server


@contextmanager
def running(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[Any]]:
    """End the process with the block, whatever happens in it."""
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port() -> int:
    """A port of the loopback interface that nobody listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _ready(url: str) -> bool:
    try:
        get(f"{url}/-/ready")
    except OSError:
        return False
    return True
