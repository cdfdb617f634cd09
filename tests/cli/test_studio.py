"""``guardrail studio`` as a process, and what it refuses."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from guardrail.cli.main import app

pytest.importorskip("starlette")


@pytest.mark.clock
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_it_says_its_address_serves_the_page_and_ends_by_ctrl_c(data: Path) -> None:
    command = [sys.executable, "-m", "guardrail.cli.main", "studio", str(data), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ) as studio:
        assert studio.stderr is not None
        said = studio.stderr.readline()
        address = re.fullmatch(r"guardrail studio: (http://127\.0\.0\.1:\d+/)#token=\S+\n", said)
        assert address is not None, said
        opened = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address[1], timeout=60)
        with opened as reply:
            assert (reply.status, reply.headers.get_content_type()) == (200, "text/html")
        studio.send_signal(signal.SIGINT)
        studio.communicate(timeout=60)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["{}/gone.jsonl"], "gone.jsonl"),
        (["--policy", "strct"], "Did you mean 'strict'"),
        (["--policy-out", "{}/no/policy.yaml"], "no folder"),
    ],
)
def test_what_is_not_there_is_refused_before_anything_is_served(tmp_path: Path, words: list[str], reason: str) -> None:
    found = CliRunner().invoke(app, ["studio", "--no-browser", *(word.format(tmp_path) for word in words)])
    assert found.exit_code != 0
    assert reason in f"{found.output} {found.exception}"
