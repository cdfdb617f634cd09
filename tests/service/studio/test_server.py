"""The studio as a process, as users start it."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from guardrail.errors import UsageError
from guardrail.service.studio.server import PORT, serve
from guardrail.service.studio.studio import Studio
from tests.support.recorded_answers import write_store

pytestmark = pytest.mark.clock


@contextmanager
def started(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and what it said until it took connections."""
    argv = [sys.executable, "-m", "guardrail.cli.main", "studio", "--no-browser", *options]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = ""
            while "Ctrl-C" not in said:
                line = process.stderr.readline()
                assert line, said
                said += line
            yield process, said
        finally:
            process.kill()


def address_in(said: str) -> tuple[str, str]:
    found = re.search(r"(http://\S+)/#token=(\S+)", said)
    assert found, said
    return found[1], found[2]


def test_the_address_that_it_says_opens_it_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    write_store(tmp_path / "guardrail.db", 20, now=1_800_000_000.0)
    with started(str(tmp_path / "guardrail.db"), "--port", "0") as (process, said):
        origin, token = address_in(said)
        reply = httpx.get(f"{origin}/api/records/choices", headers={"x-studio-token": token}, timeout=60)
        assert reply.json()["records"] == 20
        assert httpx.get(origin).status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in {0, 130, -signal.SIGINT}


def test_where_its_port_is_taken_another_one_is() -> None:
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            held.bind(("127.0.0.1", PORT))
            held.listen()
        except OSError:
            pass  # somebody else has it, which is the same
        with started() as (_, said):
            origin, _ = address_in(said)
            assert not origin.endswith(f":{PORT}")
            assert httpx.get(origin).status_code == 200


def test_a_port_that_was_asked_for_is_that_one_or_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        taken = held.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {taken}: .*Name another --host or --port"):
            serve(Studio(), port=taken, browser=False)


def test_an_address_for_others_is_said_to_be_one() -> None:
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("0.0.0.0", 0))
        port = free.getsockname()[1]
        argv = ("--host", "0.0.0.0", "--port", str(port))
        with started(*argv) as (process, said):
            origin, _ = address_in(said)
            assert origin == f"http://127.0.0.1:{port}"
            assert process.stderr is not None
            assert "Others reach 0.0.0.0, too" in process.stderr.readline()
