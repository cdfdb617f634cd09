"""The command line with ``--batch``, killed at its worst moments and started again: nothing is paid twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

from tests.support.batch_server import BatchServer, Plan
from tests.support.batched import rows
from tests.support.judge_script import ReadingJudge

COUNT = 5


pytestmark = pytest.mark.clock


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps({"id": f"r{n}", **row}) + "\n" for n, row in enumerate(rows(COUNT))))
    return path


def start(server, answers, provider, *more):
    address = server.url if provider == "anthropic" else f"{server.url}/v1"
    command = [sys.executable, "-m", "guardrail.cli.main", "check", str(answers), "--engine", "llm", "--model", "m"]
    command += ["--provider", provider, "--base-url", address, "--batch-poll", "0.05", "--batch", *more]
    environment = {**os.environ, "OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def verdicts(out):
    return [(line["id"], line["verdict"]) for line in map(json.loads, out.splitlines())]


@pytest.mark.parametrize("moment", ["sending", "waiting"])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_killed_client_goes_on(provider, moment, answers):
    """``sending``: the batch has arrived, its id never came back. ``waiting``: the id is known."""
    with BatchServer(ReadingJudge(), Plan(stuck=True)) as server:
        reached = threading.Event()
        client = []
        routed = server._routed

        def watched(method, path, raw):
            done = routed(method, path, raw)
            at_work = server.counts["submit"] if moment == "sending" else server.counts["poll"]
            if at_work and not reached.is_set():
                client[0].kill()  # before the reply is sent
                reached.set()
            return done

        server._routed = watched
        client.append(start(server, answers, provider))
        client[0].communicate(timeout=300)
        assert reached.is_set()
        assert client[0].returncode == -signal.SIGKILL
        assert server.sizes == [COUNT - 1]
        server.plan.stuck = False
        again = start(server, answers, provider)
        out, said = again.communicate(timeout=300)
        assert again.returncode == 1, said  # wrong answers were flagged
        assert verdicts(out) == [(f"r{n}", "supported" if n % 2 else "contradicted") for n in range(COUNT)]
        assert "sent by an earlier start" in said
        assert server.sizes == [COUNT - 1, COUNT - 1]  # each start tries the endpoint by one ordinary call
        assert set(server.billed.values()) == {1}
    assert not answers.with_name("answers.jsonl.batch").exists()


def test_ctrl_c_says_how_to_go_on(answers):
    with BatchServer(ReadingJudge(), Plan(stuck=True)) as server:
        client = start(server, answers, "openai")
        for line in client.stderr:
            if "0 of 4 requests done" in line:
                break
        client.send_signal(signal.SIGINT)
        out, said = client.communicate(timeout=300)
        assert client.returncode != 0
        assert "Start the same once more" in said
        assert "Traceback" not in said
        assert out == ""


def test_options_that_do_not_fit_are_refused(answers):
    with BatchServer(ReadingJudge()) as server:
        for more, why in (
            (["--deadline", "3"], "cannot bound a batch"),
            (["--engine", "local"], "applies to --engine llm or cascade"),
        ):
            client = start(server, answers, "openai", *more)
            _, said = client.communicate(timeout=300)
            assert client.returncode == 2
            assert why in " ".join(said.split())
