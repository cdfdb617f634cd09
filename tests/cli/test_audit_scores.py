"""Scores written from the command line to a real server on loopback."""

import pytest
from typer.testing import CliRunner

from guardrail.cli.main import app
from tests.support.audited import audit_traces
from tests.support.score_server import KEYS, score_server

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")
pytest.importorskip("httpx")


@pytest.fixture
def taker():
    with score_server() as server:
        yield server


@pytest.fixture
def audited(tmp_path):
    return audit_traces(tmp_path)


def test_the_command_line(audited, taker, monkeypatch):
    def run(*words):
        return CliRunner().invoke(app, ["audit", "scores", str(audited), "--url", taker.url, *words])

    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    assert "LANGFUSE_PUBLIC_KEY is not set" in str(run("--to", "langfuse").exception)
    assert "Did you mean 'langfuse'" in str(run("--to", "langfuze").exception)
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    found = run("--to", "langfuse", "--bad-only")
    assert found.exit_code == 0, found.output
    assert "scores of 3 answers written to langfuse" in found.output
    taker.status = 404
    assert run("--to", "phoenix").exit_code == 2
