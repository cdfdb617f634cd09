"""``guardrail serve`` as users start it: processes, signals, one store and one page of metrics for all."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import threading

import httpx
import pytest
from uvicorn.supervisors import multiprocess

from guardrail.service import Settings, create_app
from guardrail.service.server import _Server, _Workers, configured
from guardrail.telemetry.records import RecordStore
from guardrail.testing import OpenAIServer
from tests.support.judge_script import ReadingJudge
from tests.support.redis_server import needs_redis, running_redis
from tests.support.services import ENGINES, RIVER, command, wait_until

pytestmark = pytest.mark.clock

FAKE = f"guards:\n  default: {{engine: '{ENGINES}fake', policy: monitor}}\n"
WRONG = {"answer": "It is wrong.", "passages": ["p"]}


def test_kill_term_under_load_loses_nothing(tmp_path):
    with command(tmp_path, FAKE + "drain_seconds: 600\nrecords: {path: r.db, sample: 1}\n") as one:
        done, lost, stop = [], [], threading.Event()

        def client(number):
            with httpx.Client(base_url=one.url, timeout=60) as http:
                while not stop.is_set():
                    ident = f"{number}-{len(done)}"
                    try:
                        reply = http.post("/v1/run", json={**WRONG, "id": ident})
                    except httpx.HTTPError as error:
                        lost.append(repr(error))
                        return
                    if reply.status_code != 200 or reply.json()["id"] != ident:
                        lost.append(reply.text)
                    done.append(ident)

        threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(done) > 50)
        one.process.send_signal(signal.SIGTERM)
        wait_until(lambda: one.get("/readyz").status_code == 503)  # the balancer sends no more from here on
        assert one.get("/readyz").headers["connection"] == "close"
        at_term = len(done)
        stop.set()
        for thread in threads:
            thread.join(600)
        one.process.send_signal(signal.SIGTERM)  # the balancer has noticed
        assert one.process.wait(600) in {0, -signal.SIGTERM}
    assert lost == []
    assert len(done) >= at_term
    assert RecordStore(tmp_path / "r.db").count(verdict="contradicted") == len(done)
    lines = [line for line in one.log() if line.get("route") == "/v1/run"]
    assert len(lines) == len(done)
    assert {line["status"] for line in lines} == {200}


@pytest.mark.parametrize("options", [(), ("--workers", "2")])
@pytest.mark.parametrize("order", [signal.SIGTERM, signal.SIGINT])
def test_a_connection_that_is_open_at_the_end_has_its_reply(tmp_path, order, options):
    body = b'{"answer": "It is right.", "passages": ["p"]}'
    head = f"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    with command(tmp_path, FAKE + "limits: {header_seconds: 600}\nstop_seconds: 600\n", *options) as one:
        with socket.create_connection(one.address) as late:
            assert one.post("/v1/run", RIVER).status_code == 200  # so it was taken, too
            one.process.send_signal(order)
            wait_until(lambda: "Waiting for connections to close." in json.dumps(one.log()))
            late.sendall(head.encode() + b"\r\n\r\n" + body)
            reply = b""
            while piece := late.recv(65536):
                reply += piece
        assert reply.startswith(b"HTTP/1.1 200")
        assert b'"supported"' in reply
        assert b"connection: close" in reply.lower()
        assert one.process.wait(60) in {0, -order, 130}


class AtTheEnd(_Server):
    """A server whose clients come in the last moment: the system has taken them, the event loop has not."""

    def __init__(self, config, clients):
        super().__init__(config)
        self.clients, self.asked = clients, threading.Event()

    async def main_loop(self):
        await super().main_loop()
        for client in self.clients:
            client.connect(self.address)
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.asked.set()


def test_connections_of_the_last_moment_have_their_reply():
    settings = Settings(guards={"default": {"engine": ENGINES + "fake"}}, stop_seconds=600)
    with socket.socket() as listening, socket.socket() as one, socket.socket() as two:
        listening.bind(("127.0.0.1", 0))
        server = AtTheEnd(configured(create_app(settings), settings), [one, two])
        server.address = listening.getsockname()
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        wait_until(lambda: server.started)
        server.should_exit = True
        server.asked.wait(600)
        for client in (one, two):
            assert client.recv(65536).startswith(b"HTTP/1.1 200")
            client.close()
        thread.join(600)


class Endless:
    """A socket to which clients come without end; each second one has gone already."""

    def __init__(self):
        self.taken = 0
        self.others = [socket.socket()]

    def fileno(self):
        return self.others[0].fileno()

    def accept(self):
        self.taken += 1
        assert self.taken <= 6, "it goes on"
        if self.taken % 2:
            raise ConnectionAbortedError
        one, other = socket.socketpair()
        self.others.append(other)
        return one, ("127.0.0.1", 1)

    def close(self):
        for each in self.others:
            each.close()


def test_the_end_comes_also_where_clients_come_without_end():
    async def main():
        config = configured(create_app(settings := Settings(stop_seconds=1)), settings)
        config.backlog = 6
        config.load()
        server, endless = _Server(config), Endless()
        server.lifespan, server.servers = config.lifespan_class(config), []
        await server.lifespan.startup()
        await server.shutdown([endless])
        return endless.taken

    assert asyncio.run(main()) == 6


def test_workers_end_as_a_single_server_does(monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # those of this process stay
    monkeypatch.setattr(multiprocess, "Process", multiprocess.Process)
    workers = _Workers(configured("no.such:app", Settings(workers=2)), [])
    workers.processes_num = 0
    workers.should_exit.set()
    workers.run()
    assert isinstance(multiprocess.Process(workers.config, []).server, _Server)


def test_workers_share_records_and_metrics(tmp_path):
    with command(tmp_path, FAKE + "records: {path: r.db, sample: 1}\n", "--workers", "2") as one:
        wait_until(lambda: sum(line["message"] == "Application startup complete." for line in one.log()) == 2)
        sent, workers = 0, set()
        while len(workers) < 2 and sent < 1_000:  # whichever is free takes a connection
            for _ in range(20):
                body = {"answer": f"Number {sent} is wrong.", "passages": ["p"]}
                with httpx.Client(base_url=one.url, timeout=60) as http:
                    assert http.post("/v1/run", json=body).status_code == 200
                sent += 1
            workers = {line["process"] for line in one.log() if line.get("route") == "/v1/run"}
        assert len(workers) == 2
        page = one.get("/metrics").text
        total = re.findall(r'guardrail_answers_total\{.*verdict="contradicted".*\} (\S+)', page)
        assert sum(map(float, total)) == sent
    assert RecordStore(tmp_path / "r.db").count(verdict="contradicted") == sent


def test_a_worker_that_dies_is_replaced(tmp_path):
    with command(tmp_path, FAKE, "--workers", "2") as one:
        first = next(line["process"] for line in one.log() if line["message"].startswith("Started server process"))
        os.kill(first, signal.SIGKILL)
        started = lambda: {line["process"] for line in one.log() if line["message"] == "Application startup complete."}  # noqa: E731
        wait_until(lambda: len(started()) == 3)
        with httpx.Client(base_url=one.url, timeout=60) as http:
            assert http.post("/v1/run", json=RIVER).status_code == 200


@pytest.mark.parametrize("second", [signal.SIGINT])
def test_ctrl_c_ends_it(tmp_path, second):
    with command(tmp_path, FAKE) as one:
        assert one.post("/v1/run").status_code == 200
        one.process.send_signal(second)
        assert one.process.wait(60) in {0, -signal.SIGINT, 130}


GUARD = (
    "guards:\n  default: {{engine: llm, model: judge, base_url: '{}', key_env: JUDGE_KEY, deadline: 60, cache: '{}'}}\n"
)


@needs_redis
def test_workers_share_one_cache_of_verdicts(tmp_path):
    """What one of them asked the model, no other asks again."""
    with running_redis() as (redis, _), OpenAIServer(ReadingJudge()) as judge:
        config = GUARD.format(judge.base_url, redis)
        with command(tmp_path, config, "--workers", "2", env={"JUDGE_KEY": "k"}) as one:
            assert one.post("/v1/check").json()["verdict"] == "supported"
            asked = judge.call_count
            assert asked > 0
            for _ in range(40):
                with httpx.Client(base_url=one.url, timeout=60) as http:  # a connection each, so that both get some
                    assert http.post("/v1/check", json=RIVER).json()["verdict"] == "supported"
            workers = {line["process"] for line in one.log() if line.get("route") == "/v1/check"}
            assert len(workers) == 2
            assert judge.call_count == asked
