"""A real Prometheus and promtool on loopback. Without them these tests skip, or fail where CI installed them."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback, whatever proxy is set


@dataclass(frozen=True)
class Prometheus:
    """A running server; times are unix seconds."""

    url: str

    def query(self, expr: str, at: float | None = None) -> list[dict]:
        """Samples of an instant query: ``[{"metric": {...}, "value": [time, "text"]}]``; its error fails the test."""
        return self._result("query", query=expr, **({} if at is None else {"time": at}))

    def query_range(self, expr: str, start: float, end: float, step: float) -> list[dict]:
        """Series of a range query: ``[{"metric": {...}, "values": [[time, "text"], ...]}]``."""
        return self._result("query_range", query=expr, start=start, end=end, step=step)

    def alerts(self) -> list[dict]:
        """Alerts that are pending or firing: ``[{"labels": {...}, "annotations": {...}, "state": ...}]``."""
        return self.get("alerts")["alerts"]

    def value(self, expr: str) -> float | None:
        """The value of a query that has one sample; None where it has none."""
        samples = self.query(expr)
        assert len(samples) <= 1, f"{expr} has {len(samples)} samples"
        return float(samples[0]["value"][1]) if samples else None

    def get(self, path: str, **parameters: object) -> dict | list:
        """``data`` of any answer of the HTTP API below /api/v1."""
        body = urllib.parse.urlencode(parameters)
        try:
            with _OPENER.open(f"{self.url}/api/v1/{path}?{body}", timeout=10) as reply:
                return json.load(reply)["data"]
        except urllib.error.HTTPError as error:
            pytest.fail(f"Prometheus refuses {path} {parameters}: {error.read().decode()}")

    def wait(self, condition, *, seconds: float = 30, what: str = ""):
        """The first truthy value of ``condition()``; fails the test with ``what`` after ``seconds``."""
        end = time.monotonic() + seconds
        while not (value := condition()):
            if time.monotonic() > end:
                pytest.fail(f"not within {seconds} s: {what or condition}")
            time.sleep(0.2)
        return value

    def _result(self, path: str, **parameters: object) -> list[dict]:
        return self.get(path, **parameters)["result"]


@pytest.fixture(scope="session")
def free_port():
    """Callable: a port on loopback that nobody listens on."""

    def free() -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    return free


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory, free_port):
    """Callable ``prometheus(folder)``: starts one with ``folder/prometheus.yml``; all end with the module.

    ``data`` is a folder with blocks that it starts from (``promtool tsdb create-blocks-from openmetrics``), ``flags``
    are further flags.
    """
    binary = _binary("prometheus")
    with ExitStack() as running:

        def start(folder: Path, *, data: Path | None = None, flags: tuple[str, ...] = ()) -> Prometheus:
            port, data = free_port(), data or tmp_path_factory.mktemp("tsdb")
            command = [
                binary,
                f"--config.file={Path(folder) / 'prometheus.yml'}",
                f"--web.listen-address=127.0.0.1:{port}",
                f"--storage.tsdb.path={data}",
                "--log.level=warn",
                *flags,
            ]
            log = tmp_path_factory.mktemp("prometheus") / "log"
            return running.enter_context(_process(command, port, log))

        yield start


@pytest.fixture(scope="session")
def promtool():
    """Callable ``promtool("check", "rules", file)``: its output; a refusal fails the test."""
    binary = _binary("promtool")

    def run(*arguments: object, cwd: Path | None = None) -> str:
        done = subprocess.run(
            [binary, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@contextmanager
def _process(command: list[str], port: int, log: Path):
    with log.open("w") as out, subprocess.Popen(command, stdout=out, stderr=out, cwd=log.parent) as process:
        try:
            _wait_ready(process, f"http://127.0.0.1:{port}", log)
            yield Prometheus(url=f"http://127.0.0.1:{port}")
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_ready(process: subprocess.Popen, url: str, log: Path) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        try:
            with _OPENER.open(f"{url}/-/ready", timeout=2):
                return
        except OSError:  # not yet listening, or 503: not yet ready
            time.sleep(0.05)
    pytest.fail(f"Prometheus did not get ready:\n{log.read_text()}")


def _binary(name: str) -> str:
    path = shutil.which(name)
    if path is None and os.environ.get("GUARDRAIL_NEED_PROMETHEUS"):
        pytest.fail(f"{name} is not on the PATH, though GUARDRAIL_NEED_PROMETHEUS is set: install prometheus")
    if path is None:
        pytest.skip(f"{name} is not on the PATH: install prometheus (Debian: apt-get install prometheus)")
    return path
