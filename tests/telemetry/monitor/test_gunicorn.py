"""A real gunicorn that loads the service before it forks two workers: one page of metrics, and no record is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from guardrail.telemetry.records import RecordStore
from tests.telemetry.monitor.processes import ROOT
from tests.telemetry.monitor.test_workers import deliver, eventually, fetch, total

pytest.importorskip("opentelemetry.exporter.prometheus")
pytest.importorskip("gunicorn")
pytestmark = [pytest.mark.clock, pytest.mark.skipif(sys.platform == "win32", reason="gunicorn is for Unix")]

HERE = Path(__file__).parent


@contextmanager
def preloaded(port, log, **environment):
    """The service under gunicorn, with two workers; at the end it is asked to stop, and does."""
    options = ["--preload", "--workers", "2", "--bind", f"127.0.0.1:{port}", "--chdir", str(HERE)]
    environment = {"PYTHONPATH": os.pathsep.join([str(HERE), ROOT]), **environment}
    with log.open("w") as out:
        service = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", *options, "wsgi_service:app"],
            env=os.environ | environment, stdout=out, stderr=out,
        )  # fmt: skip
        try:
            yield
            service.send_signal(signal.SIGTERM)
            assert service.wait(120) == 0, log.read_text()
        finally:
            service.kill()
            service.wait(60)


def test_metrics_and_records_of_both_workers_and_of_the_process_that_forked_them(free_port, tmp_path):
    """The page counts what both delivered, also after one was killed, and what was delivered before the fork."""
    port, metrics, file, log = free_port(), free_port(), tmp_path / "records.db", tmp_path / "log"
    places = {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "metrics"), "RECORDS_FILE": str(file)}
    with preloaded(port, log, METRICS_PORT=str(metrics), **places):
        pids = deliver(port, 10, 2)
        assert total(fetch(metrics)) == len(pids) + 1
        store = RecordStore(file)
        eventually(lambda: store.stats().records == len(pids) + 1)  # what a killed worker still holds is lost
        os.kill(pids[-1], signal.SIGKILL)
        more = deliver(port, 6, 2)
        delivered = len(pids) + len(more) + 1
        eventually(lambda: total(fetch(metrics)) == delivered)
    assert store.stats().records == delivered
    store.close()
