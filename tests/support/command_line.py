"""Commands of ``guardrail``, run in this process."""

from __future__ import annotations

from typer.testing import CliRunner

from guardrail.cli.main import app


def monitor(*arguments: object, code: int = 0) -> str:
    """What ``guardrail monitor`` prints on a wide terminal; it must end with ``code``."""
    done = CliRunner().invoke(app, ["monitor", *map(str, arguments)], env={"COLUMNS": "160"})
    assert done.exit_code == code, done.output
    return done.output
