"""A server on loopback that keeps what is posted to it, as those of Langfuse, LangSmith and Phoenix do."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEYS = {"LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk", "LANGSMITH_API_KEY": "key", "PHOENIX_API_KEY": "k"}
"""An environment with a key of each."""


class Taker(ThreadingHTTPServer):
    """``seen``: path, headers and body of each request; ``status`` answers, but for as many as ``first`` holds."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        self.status = 200
        self.first: list[int] = []

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        self.send_response(self.server.first.pop(0) if self.server.first else self.server.status)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def score_server() -> Iterator[Taker]:
    """The server at work."""
    with Taker() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
