"""Whether the service lives and is ready, and its metrics."""

from __future__ import annotations

import os
import signal

import pytest

from guardrail.service.keys import hashed, new_key
from tests.support.process_engines import Hanging
from tests.support.services import served, wait_until

ALL = new_key()


@pytest.fixture(scope="module")
def locked():
    with served(keys=[{"name": "all", "hash": hashed(ALL)}]) as one:
        yield one


def test_probes_need_no_key(locked):
    assert [locked.get(path).status_code for path in ("/healthz", "/readyz")] == [200, 200]


def test_metrics_may_be_open():
    with served(keys=[{"name": "all", "hash": hashed(ALL)}], open_metrics=True) as one:
        assert one.get("/metrics").status_code == 200


@pytest.mark.clock
def test_readyz_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr("guardrail.service.pool.LocalEngine", lambda **_: Hanging(tmp_path))
    with served(guards={"default": {}}, limits={"processes": 2}) as one:
        reply = one.get("/readyz")
        assert (reply.status_code, reply.json()["status"]) == (200, "ready")
        assert reply.json()["processes"] == "1 of 2 are not up (see the log)"
        [pid] = one.service.processes.pids()
        (tmp_path / "hang_all").touch()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: one.get("/readyz").status_code == 503)
        assert one.get("/readyz").json()["status"] == "warming"
        (tmp_path / "go").touch()
        wait_until(lambda: one.get("/readyz").json() == {"status": "ready"}, seconds=600)


def test_it_is_alive_before_it_is_ready_and_while_it_ends(plain):
    service = plain.service
    for ready, draining, status, said in ((False, False, 503, "warming"), (True, True, 503, "draining")):
        service.ready, service.draining = ready, draining
        try:
            assert plain.get("/healthz").json() == {"status": "ok"}
            reply = plain.get("/readyz")
        finally:
            service.ready, service.draining = True, False
        assert (reply.status_code, reply.json()) == (status, {"status": said})
    assert (plain.get("/readyz").status_code, plain.get("/readyz").json()) == (200, {"status": "ready"})


def test_the_page_of_metrics_is_what_prometheus_reads(plain):
    reply = plain.get("/metrics")
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = [line for line in reply.text.splitlines() if line and not line.startswith("#")]
    values = {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}
    assert len(values) == len(lines) > 0
