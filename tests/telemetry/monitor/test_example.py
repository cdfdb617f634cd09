"""examples/monitoring tells its story with the real parts, and leaves nothing behind."""

import contextlib
import importlib.util
import itertools
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

RUN = Path(__file__).parents[3] / "examples" / "monitoring" / "run.py"

pytestmark = [
    pytest.mark.clock,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("langchain_core", "openai", "prometheus_client")),
        reason="needs the extras langchain, openai and monitoring",
    ),
]

slow = pytest.mark.skipif(os.environ.get("GUARDRAIL_SLOW") != "1", reason="takes a minute: make monitor-test")


@pytest.fixture
def example(tmp_path):
    """Callable ``example(*arguments)``: starts the example in a session of its own, its files in ``tmp_path / "run"``."""
    started = []

    def start(*arguments, **variables):
        command = [sys.executable, "-u", str(RUN), "--dir", str(tmp_path / "run"), *arguments]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **variables},
            start_new_session=True,
        )  # fmt: skip
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def members(session):
    """Processes of a session: state and command."""
    shown = subprocess.run(["ps", "-o", "stat=,args=", "-s", str(session)], capture_output=True, text=True, check=False)
    return [line for line in shown.stdout.splitlines() if not line.startswith("Z")]


def listens(url):
    """Whether anything takes connections there."""
    with contextlib.suppress(ConnectionRefusedError), socket.create_connection((url.hostname, url.port), timeout=10):
        return True
    return False


@slow
def test_the_alert_fires_names_the_index_and_is_resolved(example, prometheus):
    process = example("--pace", "600", "--rate", "10")
    said, errors = process.communicate(timeout=400)
    assert process.returncode == 0, said + errors
    before, _, after = said.partition("The alert fires")
    assert "firing HallucinationsAboveBaseline" in before
    assert "dam-guide: " in after
    assert "topic=visits" in after
    visits = next(line.split() for line in after.splitlines() if line.startswith("  visits"))
    assert int(visits[1].rstrip("%")) < 20 < 80 < int(visits[2].rstrip("%"))
    assert "✗ The walkway on top of Larkmoor Dam is open from 8:00 to 20:00 all year." in after
    assert "passage [p4.0 Larkmoor Dam: visitor information]" in after
    assert "The alert is resolved." in after
    assert errors == ""
    assert members(process.pid) == []


def test_ctrl_c_ends_all(example, prometheus):
    process = example()
    said = list(itertools.takewhile(str.strip, process.stdout))
    serving = {line.split()[0]: urlsplit(line.split()[1]) for line in said}
    assert set(serving) == {"service", "metrics", "prometheus"}
    assert all(map(listens, serving.values()))
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=300)
    assert (process.returncode, errors) == (130, "stopped\n"), [*said, rest]
    assert not any(map(listens, serving.values()))
    assert members(process.pid) == []


@slow
def test_without_prometheus_it_shows_the_rise(example):
    process = example("--pace", "2400", "--without-prometheus")
    said, errors = process.communicate(timeout=400)
    assert (process.returncode, errors) == (0, ""), said
    assert "✗ The walkway on top of Larkmoor Dam is open from 8:00 to 20:00 all year." in said
    assert "firing" not in said


def test_a_missing_prometheus_is_one_line_and_exit_code_2(example, tmp_path):
    process = example(PATH=str(tmp_path))
    said, errors = process.communicate(timeout=300)
    assert (process.returncode, said) == (2, "")
    assert "apt install prometheus" in errors
    assert len(errors.splitlines()) == 1
