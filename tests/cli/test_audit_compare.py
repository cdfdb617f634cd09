"""Two audits compared on the command line."""

import json

import pytest
from typer.testing import CliRunner

from guardrail.audit.compare import compare
from guardrail.cli.main import app
from guardrail.errors import UsageError
from tests.support.audited import audit_rows, month

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


def test_the_command_line(tmp_path):
    audit_rows(tmp_path, month(lambda n: n % 10 == 0), "a")
    audit_rows(tmp_path, month(lambda n: n % 5 == 0), "b")

    def invoke(*words):
        return CliRunner().invoke(app, ["audit", "compare", *map(str, words)])

    found = invoke(tmp_path / "a", tmp_path / "b")
    assert found.exit_code == 0, found.output
    assert "B less A: +10.0 points" in found.output
    assert "Of 180 answers that are in both" in found.output
    assert (tmp_path / "b" / "compare.html").exists()
    told = invoke(tmp_path / "a", tmp_path / "b", "--json", "--to", tmp_path / "c")
    assert json.loads(told.stdout)["whole"]["then"] == [40, 200]
    assert "given twice" in str(invoke(tmp_path / "a", tmp_path / "b", "--fingerprint", "x").exception)
    with pytest.raises(UsageError, match="no folder of an audit"):
        compare(tmp_path / "a", tmp_path / "nowhere")
    assert not list((tmp_path / "b").glob("spill-*"))
