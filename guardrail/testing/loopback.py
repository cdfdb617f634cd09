"""A small HTTP/1.1 server on a free port of the loopback interface, which leaves nothing behind when it is closed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

_GRACE = 10.0
"""Seconds that closing waits for a reply at work."""

_POLL = 0.02
_BACKLOG = 1024
_PHRASES = {status.value: status.phrase for status in HTTPStatus}


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """Status, text and its media type, further headers; ``cut``: the connection ends after these or inside the body."""

    status: int
    text: bytes
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: Literal["", "headers", "body"] = ""


Answer = Callable[[str, str, Mapping[str, str], bytes], HttpReply]
"""From method, path (no query), headers (lower-case names) and body to the reply; one thread per connection."""


class Loopback(ThreadingHTTPServer):
    """Listens from the start, serves between ``start`` and ``close``."""

    request_queue_size = _BACKLOG

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self._lock = threading.Lock()
        self._open: dict[socket.socket, threading.Thread] = {}
        self._loop = threading.Thread(target=self.serve_forever, args=(_POLL,), name="loopback", daemon=True)
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def start(self) -> None:
        """Serve in a thread of its own."""
        self._loop.start()

    def close(self) -> None:
        """Stop listening, end all connections and wait for their threads."""
        if self._loop.ident is not None:
            self.shutdown()
            self._loop.join()
        with self._lock:
            left = dict(self._open)
        for request in left:
            with suppress(OSError):
                request.shutdown(socket.SHUT_RD)  # a reply at work can still be sent
        self.server_close()
        for thread in left.values():
            thread.join(_GRACE)

    def process_request(self, request: Any, client_address: Any) -> None:
        """See socketserver: keeps the connection and its thread, so that ``close`` finds them."""
        thread = threading.Thread(target=self.process_request_thread, args=(request, client_address), daemon=True)
        with self._lock:
            self._open[request] = thread
        thread.start()

    def shutdown_request(self, request: Any) -> None:
        """See socketserver."""
        super().shutdown_request(request)
        with self._lock:
            self._open.pop(request, None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that is gone is no error of ours, and an answer catches its own."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Loopback

    def do_GET(self) -> None:
        self._reply(b"")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            self.close_connection = True
            self._send(HttpReply(status=411, text=b"{}"))
            return
        body = self.rfile.read(int(length))
        if len(body) == int(length):
            self._reply(body)
        else:
            self.close_connection = True

    def _reply(self, body: bytes) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._send(self.server.answer(self.command, self.path.split("?")[0], headers, body))

    def _send(self, reply: HttpReply) -> None:
        self.close_connection = self.close_connection or bool(reply.cut)
        lines = [
            f"HTTP/1.1 {reply.status} {_PHRASES.get(reply.status, '')}",
            f"Content-Type: {reply.kind}",
            f"Content-Length: {len(reply.text)}",
            *(f"{name}: {value}" for name, value in reply.headers.items()),
            *(["Connection: close"] if self.close_connection else []),
        ]
        sent = {"headers": b"", "body": reply.text[: len(reply.text) // 2]}.get(reply.cut, reply.text)
        # In one write: a second packet would wait for the acknowledgement of the first.
        self.wfile.write("\r\n".join([*lines, "", ""]).encode("latin-1") + sent)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the standard library's name
        """Quiet."""
