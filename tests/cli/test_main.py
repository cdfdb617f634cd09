"""The command itself: version, and an example in the help of every command."""

from __future__ import annotations

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from guardrail import __version__
from guardrail.cli.main import app


def commands(group, path=()):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name)


def test_the_version_is_printed():
    assert CliRunner().invoke(app, ["--version"]).output.strip() == __version__


@pytest.mark.parametrize("path", list(commands(get_command(app))), ids=" ".join)
def test_every_command_has_help_with_an_example(path):
    done = CliRunner().invoke(app, [*path, "--help"])
    assert done.exit_code == 0
    assert f"Example: guardrail {' '.join(path)}" in " ".join(done.output.split())
