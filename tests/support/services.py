"""The service on a real socket: in a thread of this process, or as the command that a user starts."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx
import uvicorn

from guardrail.service.app import create_app
from guardrail.service.server import configured
from guardrail.service.settings import Settings

ENGINES = "python:tests.support.service_engines:"
ROOT = Path(__file__).parents[2]
RIVER = {"answer": "The bridge was opened in 1932.", "passages": ["The bridge was opened in 1932."]}


class Served:
    """A service at work."""

    def __init__(self, url, service=None):
        self.url = url
        self.service = service
        self.client = httpx.Client(base_url=url, timeout=60)

    @property
    def address(self):
        url = httpx.URL(self.url)
        return url.host, url.port

    def post(self, path, body=None, **options):
        return self.client.post(path, json=RIVER if body is None else body, **options)

    def get(self, path, **options):
        return self.client.get(path, **options)

    def raw(self, data, *, more=(), timeout=30):
        """What comes back for these bytes, until the other side closes."""
        with socket.create_connection(self.address, timeout=timeout) as connection:
            connection.sendall(data)
            for piece in more:
                connection.sendall(piece)
            reply = b""
            while piece := connection.recv(65536):
                reply += piece
            return reply


@contextmanager
def served(path=None, **settings):
    """The service in a thread of this process."""
    given = {"guards": {"default": {"engine": ENGINES + "fake"}}} | settings
    loaded = Settings.load(path) if path is not None else Settings(**given)
    app = create_app(loaded)
    server = uvicorn.Server(configured(app, loaded))
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        one = Served(f"http://127.0.0.1:{listening.getsockname()[1]}", app.state.service)
        try:
            wait_until(lambda: server.started)
            wait_until(lambda: app.state.service.ready)
            yield one
        finally:
            one.client.close()
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive()


class Command(Served):
    """``guardrail serve`` as a process of its own."""

    def __init__(self, url, process, log):
        super().__init__(url)
        self.process = process
        self._log = log

    def log(self):
        """Its lines so far, as JSON."""
        lines = self._log.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]


@contextmanager
def command(folder, config, *options, env=None):
    """``guardrail serve --config … --port 0``, ready."""
    file = folder / "service.yaml"
    file.write_text(config, encoding="utf-8")
    log = folder / "log"
    paths = os.pathsep.join([str(ROOT), str(ROOT / "integrations")])
    with log.open("w") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "guardrail.cli.main", "serve", "--config", file, "--port", "0", *options],
            stderr=err, cwd=folder, env={**os.environ, "PYTHONPATH": paths, **(env or {})},
        )  # fmt: skip
    try:
        wait_until(lambda: "serves at" in log.read_text() or process.poll() is not None)
        found = re.search(r"serves at (\S+)", log.read_text())
        assert found, log.read_text()
        one = Command(found[1], process, log)
        with one.client:
            wait_until(lambda: _ready(one))
            yield one
    finally:
        process.terminate()
        process.wait(60)


def _ready(one):
    try:
        return one.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False


def wait_until(true, seconds=60):
    """Until it is true; a busy machine may take its time."""
    ticks = threading.Event()
    for _ in range(int(seconds / 0.02)):
        if true():
            return
        ticks.wait(0.02)
    raise AssertionError("it did not come true")
