"""``guardrail`` run in this process, and labelled answers and records for it."""

from __future__ import annotations

import io
import json
import sys

import pytest

from guardrail.cli.main import main
from tests.support.labelled_answers import ROWS, write
from tests.support.outcomes import make_outcome, three_records


@pytest.fixture
def command(monkeypatch, capsys):
    """Run ``guardrail`` in this process: exit code, what was printed, stderr."""

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["guardrail", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        with pytest.raises(SystemExit) as exit_:
            main()
        out, err = capsys.readouterr()
        return exit_.value.code, out, err

    return run


@pytest.fixture
def refchecker(tmp_path, command):
    """The same on a file of items, in RefChecker's format; the items that come out."""

    def run(verb, items, *arguments):
        path = tmp_path / "in.json"
        path.write_text(json.dumps(items, ensure_ascii=False), encoding="utf-8")
        code, out, err = command(verb, path, "--format", "refchecker", *arguments)
        return code, json.loads(out), err

    return run


@pytest.fixture
def data(tmp_path):
    return write(tmp_path / "set <i>&.jsonl", ROWS)


@pytest.fixture
def outcome():
    """Makes an Outcome: ``outcome("unsupported", 0.3, answer=...)``."""
    return make_outcome


@pytest.fixture
def path(tmp_path):
    """The file of a record store."""
    return tmp_path / "guardrail.db"


@pytest.fixture
def filled(path):
    """A store of three records."""
    return three_records(path)
