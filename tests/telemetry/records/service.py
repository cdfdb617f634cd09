"""A service that records, run by test_fork_safety.py: ``python service.py MODE FILE``."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import sys
import threading
import time
from itertools import count
from pathlib import Path

from guardrail import Passage, Report, Verdict
from guardrail.telemetry import Outcome
from guardrail.telemetry.records import RecordStore, disk, writer


def outcome(ident):
    passages = (Passage(id="1", text="The bridge opened in 1931. " * 20),)
    report = Report(verdict=Verdict.CONTRADICTED, score=0.1, answer=f"answer of {ident}", passages=passages)
    return Outcome(id=ident, at=time.time(), seconds=0.1, policy="p", report=report)


def say(text):
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(mode, path):
    writer._GATHER_SECONDS = 0.01
    writer._RETRY_SECONDS = (0.02, 0.05)
    store = RecordStore(path)
    if mode == "terminated":  # its handler comes in between whatever record() does
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0 if store.flush() else 1))
    if mode in {"endless", "terminated"}:  # until it is killed or interrupted
        for n in count():
            store.record(outcome(f"{os.getpid()} {n}"))
            if n == 200:
                store.flush()
                say("ready")
            time.sleep(0.001)
    elif mode == "leave":  # without a word to the store
        for n in range(300):
            store.record(outcome(f"{os.getpid()} {n}"))
    elif mode == "leave a locked file":
        disk._PATIENCE_SECONDS = 60
        store.record(outcome("first"))
        store.flush()
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        store.record(outcome("second"))
        say("leaving")
    elif mode == "fork":
        fork(store)
    elif mode == "fork in a transaction":
        fork_in_a_transaction(store)
    elif mode == "end before the child":
        end_before_the_child(store)
    elif mode == "full":
        full(store)


def fork_in_a_transaction(store):
    """The disk is slow, so that the parent is within a transaction when it forks."""
    connected, within, parent = disk.Disk._connected, threading.Event(), os.getpid()

    def slow(self):
        connection = connected(self)
        if os.getpid() == parent:
            connection.execute("BEGIN IMMEDIATE")
            within.set()
            time.sleep(1)
            connection.execute("COMMIT")
        return connection

    disk.Disk._connected = slow
    store.record(outcome("parent"))
    within.wait()
    if os.fork() == 0:
        store.record(outcome("child"))
        os._exit(0 if store.flush(30) and store.counts == {"written": 1} else 1)
    say(f"{os.wait()[1]} {store.flush(30)} {store.counts}")


def end_before_the_child(store):
    """The parent of a worker closes the file first; what the worker writes later must be in it."""
    store.record(outcome("parent"))
    store.flush(30)
    (to_parent, says), (to_child, tells) = os.pipe(), os.pipe()
    if os.fork() == 0:
        store.record(outcome("child, beside its parent"))
        store.flush(30)
        os.write(says, b"-")
        os.read(to_child, 1)
        store.record(outcome("child, alone"))
        os._exit(0 if store.flush(30) else 1)
    os.read(to_parent, 1)
    store.close()
    os.write(tells, b"-")
    say(os.wait()[1])


def fork(store):
    """A busy parent forks workers, as gunicorn does; each records, and one that was never told forgets nothing."""
    stop = threading.Event()

    def busy():
        for n in count():
            if stop.is_set():
                break
            store.record(outcome(f"parent {n}"))
            time.sleep(0.0005)

    thread = threading.Thread(target=busy)
    thread.start()
    children = []
    for worker in range(8):
        child = os.fork()
        if child == 0:
            assert store.counts == {}
            for n in range(20):
                store.record(outcome(f"worker {worker} {n}"))
            if worker == 0:
                sys.exit(0)  # its end flushes
            done = store.flush(8) and store.count() >= 20
            os._exit(0 if done and store.counts == {"written": 20} else 1)
        children.append(child)
        time.sleep(0.01)
    codes = [os.waitpid(child, 0)[1] for child in children]
    stop.set()
    thread.join()
    done = store.close()
    say(f"{codes} {done} {store.counts['written']}")


def full(store):
    """The file may not grow any more, then it may again."""
    store.record(outcome("before"))
    store.flush()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (Path(f"{store.path}-wal").stat().st_size, most))
    for n in range(50):
        store.record(outcome(f"while {n}"))
    say(f"{store.flush(0.3)} {store.counts}")
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    say(f"{store.flush(5)} {store.counts}")


if __name__ == "__main__":
    main(*sys.argv[1:])
