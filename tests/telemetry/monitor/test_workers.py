"""Metrics of a service with several workers: one page with the totals of all, or a page each and a warning."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.telemetry.monitor.processes import ROOT, run_python

pytest.importorskip("opentelemetry.exporter.prometheus")
pytestmark = [pytest.mark.clock, pytest.mark.skipif(sys.platform == "win32", reason="signals and forks of Unix")]

HERE = Path(__file__).parent
READ = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def eventually(get, until=None):
    """What ``get`` returns, as soon as it is true and no connection is refused."""
    until = until or time.monotonic() + 240
    while True:
        try:
            if value := get():
                return value
        except OSError:
            pass
        assert time.monotonic() < until
        time.sleep(0.05)


def fetch(port, path="metrics"):
    with READ.open(f"http://127.0.0.1:{port}/{path}", timeout=30) as reply:
        return reply.read().decode()


def total(page, name="guardrail_answers_total"):
    return sum(float(value) for value in re.findall(rf"^{name}\{{.*\}} (\S+)$", page, re.MULTILINE))


@contextmanager
def two_workers(port, metrics, log, **environment):
    """A guarded service under uvicorn."""
    pytest.importorskip("uvicorn")
    pytest.importorskip("starlette")
    command = ["-m", "uvicorn", "asgi_service:app", "--app-dir", str(HERE), "--workers", "2", "--log-level", "warning"]
    environment = {"PYTHONPATH": ROOT, "METRICS_PORT": str(metrics), **environment}
    with log.open("w") as out:
        service = subprocess.Popen(
            [sys.executable, *command, "--port", str(port)], env=os.environ | environment, stderr=out
        )
        try:
            yield
        finally:
            service.terminate()
            try:
                service.wait(60)
            finally:
                service.kill()


def deliver(port, number, workers):
    """Ask for so many answers or more, until so many workers delivered some; their process ids."""
    pids = []
    while len(pids) < number or len(set(pids)) < workers:
        pids.append(int(eventually(lambda: fetch(port, "answer"))))
    return pids


def test_one_page_has_the_totals_of_all_workers_also_of_those_that_died(free_port, tmp_path):
    port, metrics, log = free_port(), free_port(), tmp_path / "log"
    with two_workers(port, metrics, log, PROMETHEUS_MULTIPROC_DIR=str(tmp_path / "metrics")):
        pids = deliver(port, 10, 2)
        page = fetch(metrics)
        assert total(page) == total(page, "guardrail_check_duration_seconds_count") == len(pids)
        delivered = len(pids)
        for worker in set(pids):  # one of them serves the page: the worker that takes its place does then
            os.kill(worker, signal.SIGKILL)
            delivered += len(deliver(port, 3, 1))
            eventually(lambda: total(fetch(metrics)) == delivered)  # noqa: B023  called at once
    assert "port" not in log.read_text()


def test_without_a_folder_each_worker_has_a_page_and_a_warning_says_so(free_port, tmp_path):
    port, metrics, log = free_port(), free_port(), tmp_path / "log"
    with two_workers(port, metrics, log):
        pids = deliver(port, 10, 2)
        said = log.read_text()
        other = re.search(rf"port {metrics} is in use: the metrics of this process are on port (\d+)", said)
        pages = [total(fetch(metrics)), total(fetch(other[1]))]
    assert sum(pages) == len(pids)
    assert all(pages)
    assert "PROMETHEUS_MULTIPROC_DIR" in said


SERVED = """
import os, sys, urllib.request
from guardrail import Guard
from guardrail.telemetry import Telemetry, metrics
from guardrail.telemetry.monitor import serve_metrics
from guardrail.testing import FakeEngine

def page(served):
    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(served.url).read().decode()

def work(guard, topic):
    guard.run("The bridge opened in 1931.", ["The bridge opened in 1931."])
    list(guard.stream(["The bridge opened in 1971."], ["It is long."], mode="sentence"))

served = serve_metrics(0)
guard = Guard(engine=FakeEngine({"1971": "contradicted"}), telemetry=Telemetry(labels={"application": "shop"}))
"""


def served(code, **environment):
    """What a process that serves metrics prints, and what it logs."""
    done = run_python(SERVED + code, **environment)
    return done.stdout, done.stderr


FORK = """
for number in range(3):
    if os.fork() == 0:
        for _ in range(number + 1):
            work(guard, number)
        guard.telemetry.instruments.active.add(5, {})  # it dies within five answers
        os._exit(0)
for _ in range(3):
    os.wait()
print(page(served))
"""


def test_workers_that_are_forked_later_are_on_the_page_of_their_parent(tmp_path):
    """As by gunicorn with --preload."""
    quiet = {"PYTHONWARNINGS": "ignore::DeprecationWarning"}  # Python 3.12 warns of any fork beside threads
    page, said = served(FORK, PROMETHEUS_MULTIPROC_DIR=str(tmp_path), **quiet)
    assert total(page) == 2 * (1 + 2 + 3)
    assert total(page, "guardrail_stream_first_verified_seconds_count") == 1 + 2 + 3
    assert "guardrail_answers_active" not in page
    assert said == ""


def test_workers_that_are_forked_later_say_that_they_are_on_no_page():
    page, said = served(FORK)
    assert total(page) == 0
    assert said.count("PROMETHEUS_MULTIPROC_DIR") == 3


def test_the_names_and_labels_are_those_of_opentelemetrys_exporter(tmp_path):
    """What one process says is the same in both ways, but for OpenTelemetry's own labels."""
    code = "for topic in 'ab': work(guard, topic)\nprint(page(served))"

    def lines(**environment):
        page, _ = served(code, **environment)
        found = re.findall(r"^((?:guardrail|gen_ai)\w+)\{(.*)\} (\S+)$", page, re.MULTILINE)
        told = {(name, tuple(sorted(re.findall(r'(?!otel_)\b(\w+="[^"]*")', labels)))) for name, labels, _ in found}
        types = re.findall(r"^# TYPE ((?:guardrail|gen_ai)\w+ \w+)$", page, re.MULTILINE)
        return {line for line in told if not line[0].endswith("_created")}, sorted(types), total(page)

    plain, shared = lines(), lines(PROMETHEUS_MULTIPROC_DIR=str(tmp_path))
    assert shared == plain
    assert len(plain[0]) > 100
