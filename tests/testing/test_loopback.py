"""Connections of the loopback server."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from guardrail.testing import OpenAIServer


def body(text="Say hello.", **more):
    return {"model": "scripted", "messages": [{"role": "user", "content": text}], **more}


def echo(request):
    return request["messages"][-1]["content"]


def test_connections_are_kept():
    """A hundred requests over one connection, one thread."""
    with OpenAIServer(echo) as server, httpx.Client() as kept:
        before = threading.active_count()
        for n in range(100):
            assert kept.post(f"{server.base_url}/chat/completions", json=body(str(n))).status_code == 200
        assert threading.active_count() - before == 1
        assert len({call.headers["connection"] for call in server.calls}) == 1


def test_closing_leaves_nothing_behind():
    """No thread, no port, with connections open and a slow reply at work; and it does not wait for the latency."""
    before = set(threading.enumerate())
    with ThreadPoolExecutor(1) as pool, httpx.Client() as kept:
        with OpenAIServer(echo, seconds=600.0) as server:
            at_work = pool.submit(kept.post, f"{server.base_url}/chat/completions", json=body("late"), timeout=60.0)
            while not server.call_count:
                time.sleep(0.01)
            port = int(server.base_url.rsplit(":", 1)[1].removesuffix("/v1"))
            idle = socket.create_connection(("127.0.0.1", port))
        assert at_work.result().json()["choices"][0]["message"]["content"] == "late"
    idle.close()
    assert {t for t in threading.enumerate() if not t.name.startswith("ThreadPool")} <= before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port)).close()
