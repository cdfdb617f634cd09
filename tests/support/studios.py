"""A studio on a real port of this machine."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn

from guardrail.service.server import listen
from guardrail.service.studio.app import create_app


@dataclass(frozen=True)
class Site:
    """A studio that runs: ``url`` opens it, ``origin`` is its address, ``headers`` are what its API wants."""

    origin: str
    token: str

    @property
    def url(self):
        return f"{self.origin}/#token={self.token}"

    def at(self, hash_):
        """The address of a view, such as ``/browse?verdict=contradicted``."""
        return f"{self.url}&{hash_}"

    @property
    def headers(self):
        return {"x-studio-token": self.token}


@contextmanager
def running(studio, **options):
    """The studio behind uvicorn in a thread."""
    app = create_app(studio, **options)
    with listen("127.0.0.1", 0) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", lifespan="off", server_header=False))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield Site(f"http://127.0.0.1:{listening.getsockname()[1]}", app.state.token)
        finally:
            server.should_exit = True
            thread.join()


class Waiting:
    """An engine that works until its time is over."""

    name = "waiting"

    def __init__(self):
        self.began, self.ended = threading.Event(), threading.Event()

    def verify(self, request):
        self.began.set()
        while not request.expired():
            self.ended.wait(0.01)
        self.ended.set()
        raise TimeoutError
