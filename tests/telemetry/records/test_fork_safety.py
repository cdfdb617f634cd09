"""Several processes at one file: they write at once, fork, are killed, run out of disk, and just end."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from guardrail.telemetry.records import RecordStore

SERVICE = Path(__file__).with_name("service.py")

pytestmark = [pytest.mark.clock, pytest.mark.skipif(sys.platform == "win32", reason="signals and forks of Unix")]


def start(mode, path):
    command = [sys.executable, "-W", "ignore", str(SERVICE), mode, str(path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    """Services that end by themselves, started together: their files and what they said."""
    modes = ("leave", "fork", "fork in a transaction", "end before the child", "full")
    made = {mode: tmp_path_factory.mktemp("service") / "guardrail.db" for mode in modes}
    running = {mode: start(mode, path) for mode, path in made.items()}
    return {mode: (made[mode], *service.communicate(timeout=120)) for mode, service in running.items()}


def whole(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_services_that_are_killed_or_interrupted_leave_a_whole_file(path, outcome):
    modes = {signal.SIGKILL: "endless", signal.SIGINT: "endless", signal.SIGTERM: "terminated"}
    endings = {ending: start(mode, path) for ending, mode in modes.items()}
    assert [service.stdout.readline() for service in endings.values()] == ["ready\n"] * 3
    with RecordStore(path) as store:  # read and written meanwhile
        store.record(outcome(ident="ours"))
        assert store.flush()
        assert store.label("ours", "supported").label == "supported"
        for ending, service in endings.items():
            service.send_signal(ending)
        errors = [service.communicate(timeout=120)[1] for service in endings.values()]
        assert whole(path)
        assert store.get("ours").label == "supported"
        found = list(store.records())
    for service in endings.values():
        numbers = [int(record.id.split()[1]) for record in found if record.id.startswith(f"{service.pid} ")]
        assert numbers == list(range(len(numbers)))
        assert len(numbers) > 200
    assert ["KeyboardInterrupt" in said for said in errors] == [False, True, False]
    assert endings[signal.SIGTERM].returncode == 0


def test_a_locked_file_keeps_nobody_from_ending(path):
    service = start("leave a locked file", path)
    assert service.stdout.readline() == "leaving\n"
    service.communicate(timeout=120)
    assert service.returncode == 0
    assert [record.id for record in RecordStore(path).records()] == ["first"]


def test_a_service_that_ends_writes_what_is_left(services):
    path, *said = services["leave"]
    assert said == ["", ""]
    assert RecordStore(path).count() == 300


def test_forked_workers_record_each_for_itself(services):
    path, out, errors = services["fork"]
    assert errors == ""
    codes, done, written = out.rsplit(" ", 2)
    assert (codes, done) == (str([0] * 8), "True")
    ids = [record.id for record in RecordStore(path).records()]
    assert {f"worker {w} {n}" for w in range(8) for n in range(20)} <= set(ids)
    assert len(ids) == 160 + int(written)
    assert whole(path)


def test_a_fork_waits_for_the_transaction_that_its_parent_is_in(services):
    path, *said = services["fork in a transaction"]
    assert said == ["0 True {'written': 1}\n", ""]
    assert {record.id for record in RecordStore(path).records()} == {"parent", "child"}


def test_a_worker_loses_nothing_where_its_parent_closes_the_file_first(services):
    """SQLite's locks are its process's: a connection that was open at the fork would seem to hold them in the child."""
    path, *said = services["end before the child"]
    assert said == ["0\n", ""]
    ids = {record.id for record in RecordStore(path).records()}
    assert ids == {"parent", "child, beside its parent", "child, alone"}


def test_a_full_disk_is_waited_for(services):
    path, out, _ = services["full"]
    assert out.splitlines() == ["False {'written': 1}", "True {'written': 51}"]
    assert RecordStore(path).count() == 51
    assert whole(path)
