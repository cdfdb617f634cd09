"""The end of a connection: a request that is on its way is answered."""

from __future__ import annotations

import asyncio
import socket
import threading

import pytest
import uvicorn

from guardrail.service import Settings, protocol
from guardrail.service.server import configured
from tests.support.services import wait_until

pytestmark = pytest.mark.clock

ASK = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
CLOSES = b"connection: close"


class Stream:
    """An application whose first reply ends when it is told to, and whose later ones say that the connection closes."""

    def __init__(self):
        self.end = threading.Event()
        self.asked = 0

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            for kind in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{kind}.complete"})
            return
        self.asked += 1
        headers = [(b"connection", b"close")] if self.asked > 1 else []
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"begun ", "more_body": True})
        await asyncio.to_thread(self.end.wait)
        await send({"type": "http.response.body", "body": b"ended"})


@pytest.fixture
def served():
    app, settings = Stream(), Settings()
    server = uvicorn.Server(configured(app, settings))
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        wait_until(lambda: server.started)
        yield app, server, listening.getsockname(), thread
        app.end.set()
        server.should_exit = True
        thread.join(60)


def until(connection, text):
    reply = b""
    while text not in reply:
        piece = connection.recv(65536)
        assert piece, reply
        reply += piece
    return reply


def end_begins(server):
    server.should_exit = True
    wait_until(lambda: not any(each.is_serving() for each in server.servers))


def end_within_a_reply(client, app, server):
    client.sendall(ASK)
    until(client, b"begun ")
    end_begins(server)
    app.end.set()
    until(client, b"ended\r\n0\r\n\r\n")


def test_after_a_reply_that_had_begun_one_more_is_answered(served, monkeypatch):
    monkeypatch.setattr(protocol, "_LINGER", 600.0)
    app, server, address, thread = served
    with socket.create_connection(address, timeout=60) as client:
        end_within_a_reply(client, app, server)
        client.sendall(ASK)
        assert CLOSES in until(client, b"ended\r\n0\r\n\r\n")
        assert client.recv(1) == b""
    thread.join(60)
    assert not thread.is_alive()


def test_where_none_comes_the_connection_ends(served, monkeypatch):
    monkeypatch.setattr(protocol, "_LINGER", 0.05)
    app, server, address, thread = served
    with socket.create_connection(address, timeout=60) as client:
        end_within_a_reply(client, app, server)
        assert client.recv(1) == b""
    thread.join(60)
    assert not thread.is_alive()
