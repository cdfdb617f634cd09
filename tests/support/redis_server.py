"""A real Redis server on loopback, without persistence."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from contextlib import contextmanager

import pytest

needs_redis = pytest.mark.skipif(shutil.which("redis-server") is None, reason="no redis-server here")


@contextmanager
def running_redis():
    """Its address and its process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd="/")
    try:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"redis://127.0.0.1:{port}/0", server
    finally:
        server.terminate()
        server.wait(60)
