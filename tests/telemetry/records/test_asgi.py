"""A real uvicorn on loopback that is told to end: it dies of the signal, without ``atexit``, and has stored everything."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

from guardrail.telemetry.records import RecordStore

pytest.importorskip("uvicorn")
pytest.importorskip("starlette")
pytestmark = [pytest.mark.clock, pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")]

HERE = Path(__file__).parent
ROOT = os.pathsep.join([str(HERE.parents[2]), os.environ.get("PYTHONPATH", "")])
READ = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def fetch(port, number, until):
    """What a worker says to a request that it answered; asked again until it listens."""
    while True:
        try:
            with READ.open(f"http://127.0.0.1:{port}/{number}", timeout=30) as reply:
                return reply.read()
        except OSError:
            assert time.monotonic() < until, "uvicorn does not answer"
            time.sleep(0.05)


@pytest.mark.parametrize("workers", [1, 2])
def test_all_that_was_delivered_is_stored_when_uvicorn_is_terminated(path, workers):
    """None is on the disk before it is told to end."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    where = ["--app-dir", str(HERE), "--port", str(port), "--workers", str(workers), "--log-level", "warning"]
    service = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "asgi_service:app", *where],
        env=os.environ | {"PYTHONPATH": ROOT, "RECORDS_FILE": str(path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    delivered, until = [], time.monotonic() + 240
    while len(delivered) < 12 or len(set(delivered)) < workers:
        delivered.append(fetch(port, len(delivered), until))
    with READ.open(f"http://127.0.0.1:{port}/endless", timeout=60) as reply:
        reply.readline()
        reply.read(30)  # and no more
    assert RecordStore(path).count() == 0
    service.send_signal(signal.SIGTERM)
    assert service.communicate(timeout=120)[1] == ""
    actions = Counter(record.action for record in RecordStore(path).records())
    assert actions == {"allow": len(delivered), "abandoned": 1}
