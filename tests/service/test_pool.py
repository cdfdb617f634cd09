"""Many at once: full queues, turns, time, clients that leave."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from guardrail.service.pool import threads_of
from guardrail.service.settings import Limits
from tests.support.services import ENGINES, served, wait_until

GATED = {"default": {"engine": ENGINES + "gated"}}
WAIT = {"answer": "Please wait here.", "passages": ["p"]}
QUICK = {"answer": "It is quick.", "passages": ["p"]}


@pytest.fixture
def clients():
    with ThreadPoolExecutor(32) as pool:
        yield pool


def test_a_full_queue_answers_503(gate, clients):
    with served(guards=GATED, limits={"threads": 2, "queue": 2}) as one:
        held = [clients.submit(one.post, "/v1/check", WAIT) for _ in range(4)]
        wait_until(lambda: (one.service.pool.threads.running, one.service.pool.threads.waiting) == (2, 2))
        reply = one.post("/v1/check", QUICK)
        assert (reply.status_code, reply.json()["error"]["code"]) == (503, "busy")
        assert int(reply.headers["retry-after"]) >= 1
        batch = one.post("/v1/check", {"items": [QUICK] * 3})
        assert batch.status_code == 503
        gate.open.set()
        assert [reply.result().status_code for reply in held] == [200] * 4
        assert one.post("/v1/check", QUICK).status_code == 200


def test_all_bodies_together_have_a_limit(gate, clients):
    long = {**WAIT, "question": "x" * 800}
    with served(guards=GATED, limits={"bodies": 1_500}) as one:
        held = clients.submit(one.post, "/v1/check", long)
        gate.wait_until_entered()
        reply = one.post("/v1/check", long)
        assert (reply.status_code, reply.json()["error"]["code"]) == (503, "busy")
        chunks = one.client.post(
            "/v1/check", content=iter([b" " * 500] * 2), headers={"Content-Type": "application/json"}
        )
        assert chunks.status_code == 503
        gate.open.set()
        assert held.result().status_code == 200
        assert one.post("/v1/check", {**QUICK, "question": "x" * 800}).status_code == 200


def test_one_client_has_its_share(gate, clients):
    with served(guards=GATED, limits={"threads": 2, "per_client": 2}) as one:
        held = [clients.submit(one.post, "/v1/check", WAIT) for _ in range(2)]
        wait_until(lambda: one.service.pool.threads.running == 2)
        reply = one.post("/v1/check", QUICK)
        assert (reply.status_code, reply.headers["retry-after"]) == (429, "1")
        assert one.get("/healthz").status_code == 200
        gate.open.set()
        assert {reply.result().status_code for reply in held} == {200}


def test_large_ones_do_not_starve_small_ones(gate, clients):
    large = {"answer": "Please wait here.", "passages": ["x" * 1_000] * 1_000}
    with served(guards=GATED, limits={"threads": 2}) as one:
        held = [clients.submit(one.post, "/v1/check", large) for _ in range(3)]
        gate.wait_until_entered()
        wait_until(lambda: one.service.pool.threads.waiting == 2)
        assert [one.post("/v1/check", QUICK).status_code for _ in range(5)] == [200] * 5  # all while it waits
        assert not any(reply.done() for reply in held)
        gate.open.set()
        assert {reply.result().status_code for reply in held} == {200}


def test_a_batch_does_not_fill_the_queue(gate, clients):
    with served(guards=GATED, limits={"threads": 2, "queue": 20, "batch": 64}) as one:
        held = [clients.submit(one.post, "/v1/check", {"items": [WAIT] * 64}) for _ in range(2)]
        wait_until(lambda: one.service.pool.threads.waiting == 14)
        single = clients.submit(one.post, "/v1/check", QUICK)
        wait_until(lambda: one.service.pool.threads.waiting == 15)
        gate.open.set()
        assert single.result().status_code == 200
        assert all(result["verdict"] == "supported" for reply in held for result in reply.result().json()["results"])


def test_what_takes_too_long_is_answered_and_keeps_its_turn(gate):
    with served(guards=GATED, limits={"threads": 2, "seconds": 0.3}) as one:
        reply = one.post("/v1/check", WAIT)
        assert (reply.status_code, reply.json()["error"]["code"]) == (503, "busy")
        assert one.service.pool.threads.running == 1  # its thread is still there
        gate.open.set()
        wait_until(lambda: one.service.pool.threads.idle)


def test_who_leaves_is_dropped_from_the_queue(gate, clients):
    with served(guards=GATED, limits={"threads": 1}) as one:
        held = clients.submit(one.post, "/v1/check", WAIT)
        gate.wait_until_entered()
        body = b'{"answer": "It left.", "passages": ["p"]}'
        with socket.create_connection(one.address) as leaving:
            leaving.sendall(
                b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + f"Content-Length: {len(body)}\r\n\r\n".encode() + body
            )  # fmt: skip
            wait_until(lambda: one.service.pool.threads.waiting == 1)
        wait_until(lambda: one.service.pool.threads.waiting == 0)
        gate.open.set()
        assert held.result().status_code == 200
        assert one.post("/v1/check", QUICK).status_code == 200
        assert "It left." not in gate.order


def test_turns_are_as_many_as_processes(monkeypatch):
    monkeypatch.setattr("guardrail.service.pool.cores", lambda: 4)
    assert threads_of(Limits(processes=2)) == 2
    assert threads_of(Limits()) == 4
    assert threads_of(Limits(threads=5)) == 5
